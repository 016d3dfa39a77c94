/* The inner loops of a run: the saddle-point problem of each stage of a series, the series, its polynomials.
 *
 * GROUPS: registers in a row of the inverse of the matrix; 0: there is none, all is solved by factors.
 */
#include "runtime.h"
#include "core.h"
#include "saddle.h"
#include "followers.h"
#include "series.h"
#include "handover.h"

#define PLACE(type, name, parameters, arguments) name,
const lw_core lw_core_table = {CORE(PLACE)};
