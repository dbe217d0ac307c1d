// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/solver.h"

static const struct {
  SolveStatus status;
  const char *name;
} statuses[] = {
    {SOLVE_SUCCEEDED, "Solve_Succeeded"},
    {SOLVE_ACCEPTABLE, "Solved_To_Acceptable_Level"},
    {SOLVE_INFEASIBLE, "Infeasible_Problem_Detected"},
    {SOLVE_STEP_TOO_SMALL, "Search_Direction_Becomes_Too_Small"},
    {SOLVE_DIVERGING, "Diverging_Iterates"},
    {SOLVE_USER_STOP, "User_Requested_Stop"},
    {SOLVE_FEASIBLE_POINT, "Feasible_Point_Found"},
    {SOLVE_MAX_ITERATIONS, "Maximum_Iterations_Exceeded"},
    {SOLVE_RESTORATION_FAILED, "Restoration_Failed"},
    {SOLVE_STEP_FAILED, "Error_In_Step_Computation"},
    {SOLVE_MAX_CPU_TIME, "Maximum_CpuTime_Exceeded"},
    {SOLVE_MAX_WALL_TIME, "Maximum_WallTime_Exceeded"},
    {SOLVE_TOO_FEW_FREEDOMS, "Not_Enough_Degrees_Of_Freedom"},
    {SOLVE_INVALID_PROBLEM, "Invalid_Problem_Definition"},
    {SOLVE_INVALID_OPTION, "Invalid_Option"},
    {SOLVE_INVALID_NUMBER, "Invalid_Number_Detected"},
    {SOLVE_UNRECOVERABLE, "Unrecoverable_Exception"},
    {SOLVE_FOREIGN_EXCEPTION, "NonIpopt_Exception_Thrown"},
    {SOLVE_NO_MEMORY, "Insufficient_Memory"},
    {SOLVE_INTERNAL_ERROR, "Internal_Error"},
};

enum { N_STATUS = sizeof statuses / sizeof statuses[0] };

const char *solve_status_name(SolveStatus status) {
  for (int i = 0; i < N_STATUS; i++) {
    if (statuses[i].status == status) return statuses[i].name;
  }
  return "Unknown_Status";
}

bool solve_status_find(const char *name, SolveStatus *out) {
  for (int i = 0; i < N_STATUS; i++) {
    if (!strcmp(statuses[i].name, name)) {
      *out = statuses[i].status;
      return true;
    }
  }
  return false;
}

bool solve_status_solved(SolveStatus status) {
  return status == SOLVE_SUCCEEDED || status == SOLVE_ACCEPTABLE;
}

const char *solve_function_name(SolveFunction f) {
  static const char *const names[SOLVE_N_FUNCTION] = {"objective", "gradient", "constraints",
                                                      "Jacobian", "Hessian"};
  return f >= 0 && f < SOLVE_N_FUNCTION ? names[f] : "";
}

void solver_info_free(SolveInfo *info) {
  if (!info) return;
  free(info->history);
  *info = (SolveInfo){0};
}

void solver_write_stream(void *file, const char *text, size_t len) {
  fwrite(text, 1, len, file);
  fflush(file);
}
