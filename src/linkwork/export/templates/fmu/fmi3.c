
/* -- FMI 3.0 ------------------------------------------------------------------------------------------------------- */

typedef void *fmi3Instance, *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef double fmi3Float64;
typedef bool fmi3Boolean;
typedef const char *fmi3String;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;

API fmi3String fmi3GetVersion(void)
{
    return "3.0";
}

API fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t count, const fmi3String categories[])
{
    (void)c; (void)on; (void)count; (void)categories;
    return fmi3OK;
}

API fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging, void *environment, void *log)
{
    (void)name; (void)resources; (void)visible; (void)logging; (void)environment; (void)log;
    return create(token);
}

API fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,
    const fmi3ValueReference intermediate[], size_t count, void *environment, void *log, void *update)
{
    (void)name; (void)resources; (void)visible; (void)logging; (void)event_mode; (void)early_return;
    (void)intermediate; (void)count; (void)environment; (void)log; (void)update;
    return create(token);
}

API fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging, void *environment, void *log, void *update, void *lock, void *unlock)
{
    (void)name; (void)token; (void)resources; (void)visible; (void)logging; (void)environment; (void)log;
    (void)update; (void)lock; (void)unlock;
    return NULL;
}

API void fmi3FreeInstance(fmi3Instance c)
{
    free(c);
}

API fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean has_tolerance, fmi3Float64 tolerance,
    fmi3Float64 start, fmi3Boolean has_end, fmi3Float64 end)
{
    (void)has_end; (void)end;
    ((instance *)c)->t = start;
    if (has_tolerance && tolerance > 0.0)
        ((instance *)c)->steps.tolerance = tolerance;
    return fmi3OK;
}

/* nothing is to be done */
#define QUIET(name)                                                                                                \
    API fmi3Status name(fmi3Instance c)                                                                            \
    {                                                                                                              \
        (void)c;                                                                                                   \
        return fmi3OK;                                                                                             \
    }
QUIET(fmi3EnterEventMode)
QUIET(fmi3Terminate)
QUIET(fmi3EnterConfigurationMode)
QUIET(fmi3ExitConfigurationMode)
QUIET(fmi3EnterContinuousTimeMode)
QUIET(fmi3EnterStepMode)
QUIET(fmi3EvaluateDiscreteStates)

API fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    return begin(c) ? fmi3Error : fmi3OK;
}

API fmi3Status fmi3Reset(fmi3Instance c)
{
    restart(c);
    return fmi3OK;
}

API fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference references[], size_t count,
    fmi3Float64 values[], size_t size)
{
    for (size_t i = 0; i < count && i < size; i++)
        if (get_value(c, references[i], values + i))
            return fmi3Error;
    return fmi3OK;
}

API fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference references[], size_t count,
    const fmi3Float64 values[], size_t size)
{
    for (size_t i = 0; i < count && i < size; i++)
        if (set_value(c, references[i], values[i]))
            return fmi3Error;
    return fmi3OK;
}

/* there are only real numbers */
#define NONE(kind, type)                                                                                           \
    API fmi3Status fmi3Get##kind(fmi3Instance c, const fmi3ValueReference r[], size_t count, type values[],        \
        size_t size)                                                                                               \
    {                                                                                                              \
        (void)c; (void)r; (void)values; (void)size;                                                                \
        return count ? fmi3Error : fmi3OK;                                                                         \
    }                                                                                                              \
    API fmi3Status fmi3Set##kind(fmi3Instance c, const fmi3ValueReference r[], size_t count, const type values[],  \
        size_t size)                                                                                               \
    {                                                                                                              \
        (void)c; (void)r; (void)values; (void)size;                                                                \
        return count ? fmi3Error : fmi3OK;                                                                         \
    }
NONE(Float32, float)
NONE(Int8, int8_t)
NONE(UInt8, uint8_t)
NONE(Int16, int16_t)
NONE(UInt16, uint16_t)
NONE(Int32, int32_t)
NONE(UInt32, uint32_t)
NONE(Int64, int64_t)
NONE(UInt64, uint64_t)
NONE(Boolean, fmi3Boolean)
NONE(String, fmi3String)

API fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state)
{
    return keep(state, c) ? fmi3Error : fmi3OK;
}

API fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state)
{
    memcpy(c, state, sizeof(instance));
    return fmi3OK;
}

API fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi3OK;
}

API fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size)
{
    (void)c; (void)state;
    *size = sizeof(instance);
    return fmi3OK;
}

API fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, uint8_t bytes[], size_t size)
{
    (void)c;
    if (size < sizeof(instance))
        return fmi3Error;
    memcpy(bytes, state, sizeof(instance));
    return fmi3OK;
}

API fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const uint8_t bytes[], size_t size, fmi3FMUState *state)
{
    (void)c;
    return size < sizeof(instance) || keep(state, bytes) ? fmi3Error : fmi3OK;
}

/* -- model exchange ------------------------------------------------------------------------------------------------ */

API fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *more, fmi3Boolean *end, fmi3Boolean *nominals,
    fmi3Boolean *states, fmi3Boolean *has_next, fmi3Float64 *next)
{
    *more = *nominals = *has_next = false;
    *next = 0.0;
    *states = settle(c);
    *end = ((instance *)c)->ended;
    return fmi3OK;
}

API fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean final, fmi3Boolean *event, fmi3Boolean *end)
{
    (void)final;
    *event = has_drifted(c);
    *end = ((instance *)c)->ended;
    return fmi3OK;
}

API fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 t)
{
    ((instance *)c)->t = t;
    ((instance *)c)->known = 0;
    return fmi3OK;
}

API fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 y[], size_t count)
{
    if (count != N)
        return fmi3Error;
    memcpy(((instance *)c)->y, y, N*sizeof *y);
    ((instance *)c)->known = 0;
    return fmi3OK;
}

API fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 dy[], size_t count)
{
    if (count != N)
        return fmi3Error;
    refresh(c);
    memcpy(dy, ((instance *)c)->dy, N*sizeof *dy);
    return fmi3OK;
}

API fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 values[], size_t count)
{
    if (count != @NAME@_EVENTS)
        return fmi3Error;
@if events
    @name@_events(&((instance *)c)->m, ((instance *)c)->t, ((instance *)c)->y, values);
@end
@if !events
    (void)c; (void)values;
@end
    return fmi3OK;
}

API fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 y[], size_t count)
{
    if (count != N)
        return fmi3Error;
    memcpy(y, ((instance *)c)->y, N*sizeof *y);
    return fmi3OK;
}

API fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 values[], size_t count)
{
    (void)c;
    if (count != N)
        return fmi3Error;
    memcpy(values, @name@_sizes, N*sizeof *values);
    return fmi3OK;
}

API fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *count)
{
    (void)c;
    *count = @NAME@_EVENTS;
    return fmi3OK;
}

API fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *count)
{
    (void)c;
    *count = N;
    return fmi3OK;
}

/* -- co-simulation ------------------------------------------------------------------------------------------------- */

API fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 now, fmi3Float64 step, fmi3Boolean final, fmi3Boolean *event,
    fmi3Boolean *end, fmi3Boolean *early, fmi3Float64 *reached)
{
    int status;
    (void)final;
    ((instance *)c)->t = now;
    status = advance_to(c, now + step);
    *event = false;
    *end = status == 1;
    *early = status == 1;
    *reached = ((instance *)c)->t;
    return status < 0 ? fmi3Error : fmi3OK;
}

/* -- what this unit does not have ----------------------------------------------------------------------------------- */

#define MISSING(name, ...)                                                                                         \
    API fmi3Status name(fmi3Instance c, __VA_ARGS__)                                                               \
    {                                                                                                              \
        (void)c;                                                                                                   \
        return fmi3Error;                                                                                          \
    }
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#define SOME const fmi3ValueReference r[], size_t count
MISSING(fmi3GetBinary, SOME, size_t sizes[], const uint8_t *values[], size_t size)
MISSING(fmi3SetBinary, SOME, const size_t sizes[], const uint8_t *const values[], size_t size)
MISSING(fmi3GetClock, SOME, bool values[])
MISSING(fmi3SetClock, SOME, const bool values[])
MISSING(fmi3GetNumberOfVariableDependencies, fmi3ValueReference r, size_t *count)
MISSING(fmi3GetVariableDependencies, fmi3ValueReference r, size_t of[], fmi3ValueReference on[], size_t elements[],
    int kinds[], size_t count)
MISSING(fmi3GetDirectionalDerivative, SOME, const fmi3ValueReference known[], size_t knowns, const double seed[],
    size_t seeds, double values[], size_t size)
MISSING(fmi3GetAdjointDerivative, SOME, const fmi3ValueReference known[], size_t knowns, const double seed[],
    size_t seeds, double values[], size_t size)
MISSING(fmi3GetIntervalDecimal, SOME, double values[], int kinds[])
MISSING(fmi3GetIntervalFraction, SOME, uint64_t counters[], uint64_t resolutions[], int kinds[])
MISSING(fmi3GetShiftDecimal, SOME, double values[])
MISSING(fmi3GetShiftFraction, SOME, uint64_t counters[], uint64_t resolutions[])
MISSING(fmi3SetIntervalDecimal, SOME, const double values[])
MISSING(fmi3SetIntervalFraction, SOME, const uint64_t counters[], const uint64_t resolutions[])
MISSING(fmi3SetShiftDecimal, SOME, const double values[])
MISSING(fmi3SetShiftFraction, SOME, const uint64_t counters[], const uint64_t resolutions[])
MISSING(fmi3GetOutputDerivatives, SOME, const int32_t orders[], double values[], size_t size)
MISSING(fmi3ActivateModelPartition, fmi3ValueReference clock, double time)
