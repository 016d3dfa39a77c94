
/* -- FMI @version@ ------------------------------------------------------------------------------------------------------- */

/* the standard hands over more than is needed here */
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

typedef void *@Handle@, *@State@;
typedef uint32_t @fmi@ValueReference;
typedef double @Real@;
@if two
typedef int @fmi@Integer, @fmi@Boolean;
@end
@if three
typedef bool @fmi@Boolean;
@end
typedef const char *@fmi@String;
@if two
typedef char @Byte@;
typedef enum { @fmi@OK, @fmi@Warning, @fmi@Discard, @fmi@Error, @fmi@Fatal, @fmi@Pending } @fmi@Status;
typedef enum { @fmi@DoStepStatus, @fmi@PendingStatus, @fmi@LastSuccessfulTime, @fmi@Terminated } @fmi@StatusKind;
typedef struct {
    @fmi@Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged;
    @fmi@Boolean valuesOfContinuousStatesChanged, nextEventTimeDefined;
    @Real@ nextEventTime;
} @fmi@EventInfo;

API @fmi@String @fmi@GetTypesPlatform(void)
{
    return "default";
}
@end
@if three
typedef enum { @fmi@OK, @fmi@Warning, @fmi@Discard, @fmi@Error, @fmi@Fatal } @fmi@Status;
@end

API @fmi@String @fmi@GetVersion(void)
{
    return "@version@";
}

API @fmi@Status @fmi@SetDebugLogging(@Handle@ c, @fmi@Boolean on, size_t count, const @fmi@String categories[])
{
    return @fmi@OK;
}

@if two
API @Handle@ @fmi@Instantiate(@fmi@String name, int kind, @fmi@String guid, @fmi@String resources,
    const void *functions, @fmi@Boolean visible, @fmi@Boolean logging)
@end
@if three
API @Handle@ @fmi@InstantiateModelExchange(@fmi@String name, @fmi@String token, @fmi@String resources,
    @fmi@Boolean visible, @fmi@Boolean logging, void *environment, void *log)
{
    return create(token);
}

API @Handle@ @fmi@InstantiateCoSimulation(@fmi@String name, @fmi@String token, @fmi@String resources,
    @fmi@Boolean visible, @fmi@Boolean logging, @fmi@Boolean event_mode, @fmi@Boolean early_return,
    const @fmi@ValueReference intermediate[], size_t count, void *environment, void *log, void *update)
{
    return create(token);
}

API @Handle@ @fmi@InstantiateScheduledExecution(@fmi@String name, @fmi@String token, @fmi@String resources,
    @fmi@Boolean visible, @fmi@Boolean logging, void *environment, void *log, void *update, void *lock, void *unlock)
@end
{
@if two
    return create(guid);
@end
@if three
    return NULL;
@end
}

API void @fmi@FreeInstance(@Handle@ c)
{
    free(c);
}

@if two
API @fmi@Status @fmi@SetupExperiment(@Handle@ c, @fmi@Boolean has_tolerance, @Real@ tolerance, @Real@ start,
    @fmi@Boolean has_end, @Real@ end)
@end
@if three
API @fmi@Status @fmi@EnterInitializationMode(@Handle@ c, @fmi@Boolean has_tolerance, @Real@ tolerance,
    @Real@ start, @fmi@Boolean has_end, @Real@ end)
@end
{
    ((instance *)c)->t = start;
    if (has_tolerance && tolerance > 0.0)
        ((instance *)c)->steps.tolerance = fmin(fmax(tolerance, @least_tolerance@), @most_tolerance@);
    return @fmi@OK;
}

/* nothing is to be done */
#define QUIET(name)                                                                                                \
    API @fmi@Status name(@Handle@ c)                                                                               \
    {                                                                                                              \
        return @fmi@OK;                                                                                            \
    }
QUIET(@fmi@Terminate)
QUIET(@fmi@EnterEventMode)
QUIET(@fmi@EnterContinuousTimeMode)
@if two
QUIET(@fmi@EnterInitializationMode)
@end
@if three
QUIET(@fmi@EnterConfigurationMode)
QUIET(@fmi@ExitConfigurationMode)
QUIET(@fmi@EnterStepMode)
QUIET(@fmi@EvaluateDiscreteStates)
@end

API @fmi@Status @fmi@ExitInitializationMode(@Handle@ c)
{
    return begin(c) ? @fmi@Error : @fmi@OK;
}

API @fmi@Status @fmi@Reset(@Handle@ c)
{
    restart(c);
    return @fmi@OK;
}

API @fmi@Status @fmi@Get@Kind@(@Handle@ c, const @fmi@ValueReference references[], size_t count,
    @Real@ values[]@sized@)
{
    for (size_t i = 0; i < count; i++)
        if (get_value(c, references[i], values + i))
            return @fmi@Error;
    return @fmi@OK;
}

API @fmi@Status @fmi@Set@Kind@(@Handle@ c, const @fmi@ValueReference references[], size_t count,
    const @Real@ values[]@sized@)
{
    for (size_t i = 0; i < count; i++)
        if (set_value(c, references[i], values[i]))
            return @fmi@Error;
    return @fmi@OK;
}

/* there are only real numbers */
#define NONE(kind, type)                                                                                           \
    API @fmi@Status @fmi@Get##kind(@Handle@ c, const @fmi@ValueReference r[], size_t count,                        \
        type values[]@sized@)                                                                                      \
    {                                                                                                              \
        return count ? @fmi@Error : @fmi@OK;                                                                       \
    }                                                                                                              \
    API @fmi@Status @fmi@Set##kind(@Handle@ c, const @fmi@ValueReference r[], size_t count,                        \
        const type values[]@sized@)                                                                                \
    {                                                                                                              \
        return count ? @fmi@Error : @fmi@OK;                                                                       \
    }
@if two
NONE(Integer, @fmi@Integer)
@end
@if three
NONE(Float32, float)
NONE(Int8, int8_t)
NONE(UInt8, uint8_t)
NONE(Int16, int16_t)
NONE(UInt16, uint16_t)
NONE(Int32, int32_t)
NONE(UInt32, uint32_t)
NONE(Int64, int64_t)
NONE(UInt64, uint64_t)
@end
NONE(Boolean, @fmi@Boolean)
NONE(String, @fmi@String)

API @fmi@Status @fmi@Get@FMUState@(@Handle@ c, @State@ *state)
{
    return keep(state, c) ? @fmi@Error : @fmi@OK;
}

API @fmi@Status @fmi@Set@FMUState@(@Handle@ c, @State@ state)
{
    memcpy(c, state, sizeof(instance));
    return @fmi@OK;
}

API @fmi@Status @fmi@Free@FMUState@(@Handle@ c, @State@ *state)
{
    free(*state);
    *state = NULL;
    return @fmi@OK;
}

API @fmi@Status @fmi@Serialized@FMUState@Size(@Handle@ c, @State@ state, size_t *size)
{
    *size = sizeof(instance);
    return @fmi@OK;
}

API @fmi@Status @fmi@Serialize@FMUState@(@Handle@ c, @State@ state, @Byte@ bytes[], size_t size)
{
    if (size < sizeof(instance))
        return @fmi@Error;
    memcpy(bytes, state, sizeof(instance));
    return @fmi@OK;
}

API @fmi@Status @fmi@@De@erialize@FMUState@(@Handle@ c, const @Byte@ bytes[], size_t size, @State@ *state)
{
    return size < sizeof(instance) || keep(state, bytes) ? @fmi@Error : @fmi@OK;
}

@if two
API @fmi@Status @fmi@GetDirectionalDerivative(@Handle@ c, const @fmi@ValueReference unknown[], size_t unknowns,
    const @fmi@ValueReference known[], size_t knowns, const @Real@ along[], @Real@ values[])
{
    return @fmi@Error;
}

@end
/* -- model exchange ------------------------------------------------------------------------------------------------ */

@if two
API @fmi@Status @fmi@NewDiscreteStates(@Handle@ c, @fmi@EventInfo *info)
@end
@if three
API @fmi@Status @fmi@UpdateDiscreteStates(@Handle@ c, @fmi@Boolean *more, @fmi@Boolean *end, @fmi@Boolean *nominals,
    @fmi@Boolean *states, @fmi@Boolean *has_next, @Real@ *next)
@end
{
    const int changed = settle(c);
@if two
    memset(info, 0, sizeof *info);
    info->valuesOfContinuousStatesChanged = changed > 0;
    info->terminateSimulation = ((instance *)c)->ended;
@if controllers
    info->nextEventTimeDefined = isfinite(((instance *)c)->next);
    info->nextEventTime = ((instance *)c)->next;
@end
@end
@if three
    *more = *nominals = *has_next = false;
    *next = 0.0;
@if controllers
    *has_next = isfinite(((instance *)c)->next);
    *next = ((instance *)c)->next;
@end
    *states = changed > 0;
    *end = ((instance *)c)->ended;
@end
    return changed < 0 ? @fmi@Error : @fmi@OK;
}

API @fmi@Status @fmi@CompletedIntegratorStep(@Handle@ c, @fmi@Boolean final, @fmi@Boolean *event, @fmi@Boolean *end)
{
    follow(c);
    *event = has_drifted(c);
    *end = ((instance *)c)->ended;
    return @fmi@OK;
}

API @fmi@Status @fmi@SetTime(@Handle@ c, @Real@ t)
{
    ((instance *)c)->t = t;
    ((instance *)c)->known = 0;
    return @fmi@OK;
}

API @fmi@Status @fmi@SetContinuousStates(@Handle@ c, const @Real@ y[], size_t count)
{
    if (count != N)
        return @fmi@Error;
    memcpy(((instance *)c)->y, y, N*sizeof *y);
    ((instance *)c)->known = 0;
    return @fmi@OK;
}

@if two
API @fmi@Status @fmi@GetDerivatives(@Handle@ c, @Real@ dy[], size_t count)
@end
@if three
API @fmi@Status @fmi@GetContinuousStateDerivatives(@Handle@ c, @Real@ dy[], size_t count)
@end
{
    if (count != N)
        return @fmi@Error;
    refresh(c);
    memcpy(dy, ((instance *)c)->dy, N*sizeof *dy);
    return @fmi@OK;
}

API @fmi@Status @fmi@GetEventIndicators(@Handle@ c, @Real@ values[], size_t count)
{
    if (count != @NAME@_@seen@)
        return @fmi@Error;
@if events
    indicate(c, values);
@end
@if !events
@end
    return @fmi@OK;
}

API @fmi@Status @fmi@GetContinuousStates(@Handle@ c, @Real@ y[], size_t count)
{
    if (count != N)
        return @fmi@Error;
    memcpy(y, ((instance *)c)->y, N*sizeof *y);
    return @fmi@OK;
}

API @fmi@Status @fmi@GetNominalsOfContinuousStates(@Handle@ c, @Real@ values[], size_t count)
{
    if (count != N)
        return @fmi@Error;
    memcpy(values, @name@_sizes, N*sizeof *values);
    return @fmi@OK;
}

@if two
/* -- co-simulation ------------------------------------------------------------------------------------------------- */

API @fmi@Status @fmi@SetRealInputDerivatives(@Handle@ c, const @fmi@ValueReference references[], size_t count,
    const @fmi@Integer orders[], const @Real@ values[])
{
    return count ? @fmi@Error : @fmi@OK;
}

API @fmi@Status @fmi@GetRealOutputDerivatives(@Handle@ c, const @fmi@ValueReference references[], size_t count,
    const @fmi@Integer orders[], @Real@ values[])
{
    return count ? @fmi@Error : @fmi@OK;
}

API @fmi@Status @fmi@DoStep(@Handle@ c, @Real@ now, @Real@ step, @fmi@Boolean final)
{
    int status;
    ((instance *)c)->t = now;
    status = advance_to(c, now + step);
    return status < 0 ? @fmi@Error : status ? @fmi@Discard : @fmi@OK;
}

API @fmi@Status @fmi@CancelStep(@Handle@ c)
{
    return @fmi@Error;
}

API @fmi@Status @fmi@GetRealStatus(@Handle@ c, const @fmi@StatusKind kind, @Real@ *value)
{
    *value = ((instance *)c)->t;
    return kind == @fmi@LastSuccessfulTime ? @fmi@OK : @fmi@Discard;
}

API @fmi@Status @fmi@GetBooleanStatus(@Handle@ c, const @fmi@StatusKind kind, @fmi@Boolean *value)
{
    *value = ((instance *)c)->ended;
    return kind == @fmi@Terminated ? @fmi@OK : @fmi@Discard;
}

/* no step is ever pending */
#define NEVER(name, type)                                                                                          \
    API @fmi@Status name(@Handle@ c, const @fmi@StatusKind kind, type *value)                                      \
    {                                                                                                              \
        return @fmi@Discard;                                                                                       \
    }
NEVER(@fmi@GetStatus, @fmi@Status)
NEVER(@fmi@GetIntegerStatus, @fmi@Integer)
NEVER(@fmi@GetStringStatus, @fmi@String)
@end
@if three
API @fmi@Status @fmi@GetNumberOfEventIndicators(@Handle@ c, size_t *count)
{
    *count = @NAME@_@seen@;
    return @fmi@OK;
}

API @fmi@Status @fmi@GetNumberOfContinuousStates(@Handle@ c, size_t *count)
{
    *count = N;
    return @fmi@OK;
}

/* -- co-simulation ------------------------------------------------------------------------------------------------- */

API @fmi@Status @fmi@DoStep(@Handle@ c, @Real@ now, @Real@ step, @fmi@Boolean final, @fmi@Boolean *event,
    @fmi@Boolean *end, @fmi@Boolean *early, @Real@ *reached)
{
    int status;
    ((instance *)c)->t = now;
    status = advance_to(c, now + step);
    *event = false;
    *end = status == 1;
    *early = status == 1;
    *reached = ((instance *)c)->t;
    return status < 0 ? @fmi@Error : @fmi@OK;
}

/* -- what this unit does not have ----------------------------------------------------------------------------------- */

#define MISSING(name, ...)                                                                                         \
    API @fmi@Status name(@Handle@ c, __VA_ARGS__)                                                                  \
    {                                                                                                              \
        return @fmi@Error;                                                                                         \
    }
#define SOME const @fmi@ValueReference r[], size_t count
MISSING(@fmi@GetBinary, SOME, size_t sizes[], const uint8_t *values[], size_t size)
MISSING(@fmi@SetBinary, SOME, const size_t sizes[], const uint8_t *const values[], size_t size)
MISSING(@fmi@GetClock, SOME, bool values[])
MISSING(@fmi@SetClock, SOME, const bool values[])
MISSING(@fmi@GetNumberOfVariableDependencies, @fmi@ValueReference r, size_t *count)
MISSING(@fmi@GetVariableDependencies, @fmi@ValueReference r, size_t of[], @fmi@ValueReference on[], size_t elements[],
    int kinds[], size_t count)
MISSING(@fmi@GetDirectionalDerivative, SOME, const @fmi@ValueReference known[], size_t knowns, const double seed[],
    size_t seeds, double values[], size_t size)
MISSING(@fmi@GetAdjointDerivative, SOME, const @fmi@ValueReference known[], size_t knowns, const double seed[],
    size_t seeds, double values[], size_t size)
MISSING(@fmi@GetIntervalDecimal, SOME, double values[], int kinds[])
MISSING(@fmi@GetIntervalFraction, SOME, uint64_t counters[], uint64_t resolutions[], int kinds[])
MISSING(@fmi@GetShiftDecimal, SOME, double values[])
MISSING(@fmi@GetShiftFraction, SOME, uint64_t counters[], uint64_t resolutions[])
MISSING(@fmi@SetIntervalDecimal, SOME, const double values[])
MISSING(@fmi@SetIntervalFraction, SOME, const uint64_t counters[], const uint64_t resolutions[])
MISSING(@fmi@SetShiftDecimal, SOME, const double values[])
MISSING(@fmi@SetShiftFraction, SOME, const uint64_t counters[], const uint64_t resolutions[])
MISSING(@fmi@GetOutputDerivatives, SOME, const int32_t orders[], double values[], size_t size)
MISSING(@fmi@ActivateModelPartition, @fmi@ValueReference clock, double time)
@end
