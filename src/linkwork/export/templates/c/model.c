/* @title@: equations of motion, @written@. See README.md. */
#include "@name@.h"

#include <math.h>
@if stubs
#include <stddef.h>
@end

@data@
@if signs
static double sign(double x)
{
    return (x > 0.0) - (x < 0.0);
}

@end
@functions@
