// SPDX-License-Identifier: MIT
// The option --formulation of several commands.
#ifndef POISE_CLI_FORM_OPTION_H
#define POISE_CLI_FORM_OPTION_H

#include "cli/options.h"
#include "dynamics/dyn.h"

// The formulation that --formulation names, or `fallback` if it is not given. An unknown name is
// STATUS_INPUT with the nearest one.
Status form_option(const Args *args, const DynForm *fallback, const DynForm **out, Error *err);

#endif
