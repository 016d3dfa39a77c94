/* What files of methods other than Taylor series begin with: functions of the runtime and of the inner loops, by name. */
#include "runtime.h"
#include "core.h"
#include "base.h"

#define CALL(type, name, parameters, arguments) \
    static inline type name parameters { return ((const lw_core *)s->core)->name arguments; }
CORE(CALL)
#undef CALL
#define CALL(type, name, parameters, arguments) \
    static inline type name parameters { return ((const lw_base *)s->base)->name arguments; }
BASE(CALL)

#include "pace.h"
#include "inside.h"
