/* @title@: functions of its laws that could not be written down, to be filled in.

   What they remember belongs to the model: let m->user point to it. */
#include "@name@.h"

#include <stdio.h>
#include <stdlib.h>

@stub_bodies@
