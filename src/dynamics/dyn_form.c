// SPDX-License-Identifier: MIT
#include <string.h>
#include <strings.h>

#include "dynamics/dyn.h"

const DynForm *const dyn_forms[] = {&dyn_implicit, &dyn_semi,     &dyn_exp1_ode, &dyn_exp1_dae,
                                    &dyn_exp2_ode, &dyn_exp2_dae, NULL};

const DynForm *dyn_form_find(const char *name) {
  for (int i = 0; dyn_forms[i]; i++) {
    if (strcasecmp(name, dyn_forms[i]->name) == 0) return dyn_forms[i];
  }
  for (int i = 0; dyn_forms[i]; i++) {
    if (strcasecmp(name, dyn_forms[i]->family) == 0) return dyn_forms[i];
  }
  return NULL;
}
