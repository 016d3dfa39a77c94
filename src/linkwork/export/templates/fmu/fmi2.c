
/* -- FMI 2.0 ------------------------------------------------------------------------------------------------------- */

typedef void *fmi2Component, *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef const char *fmi2String;
typedef char fmi2Byte;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;
typedef struct {
    fmi2Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged;
    fmi2Boolean valuesOfContinuousStatesChanged, nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

API fmi2String fmi2GetTypesPlatform(void)
{
    return "default";
}

API fmi2String fmi2GetVersion(void)
{
    return "2.0";
}

API fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[])
{
    (void)c; (void)on; (void)count; (void)categories;
    return fmi2OK;
}

API fmi2Component fmi2Instantiate(fmi2String name, int kind, fmi2String guid, fmi2String resources,
    const void *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)name; (void)kind; (void)resources; (void)functions; (void)visible; (void)logging;
    return create(guid);
}

API void fmi2FreeInstance(fmi2Component c)
{
    free(c);
}

API fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start,
    fmi2Boolean has_end, fmi2Real end)
{
    (void)has_end; (void)end;
    ((instance *)c)->t = start;
    if (has_tolerance && tolerance > 0.0)
        ((instance *)c)->steps.tolerance = tolerance;
    return fmi2OK;
}

/* nothing is to be done */
#define QUIET(name)                                                                                                \
    API fmi2Status name(fmi2Component c)                                                                           \
    {                                                                                                              \
        (void)c;                                                                                                   \
        return fmi2OK;                                                                                             \
    }
QUIET(fmi2EnterInitializationMode)
QUIET(fmi2Terminate)
QUIET(fmi2EnterEventMode)
QUIET(fmi2EnterContinuousTimeMode)

API fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    return begin(c) ? fmi2Error : fmi2OK;
}

API fmi2Status fmi2Reset(fmi2Component c)
{
    restart(c);
    return fmi2OK;
}

API fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Real values[])
{
    for (size_t i = 0; i < count; i++)
        if (get_value(c, references[i], values + i))
            return fmi2Error;
    return fmi2OK;
}

API fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference references[], size_t count,
    const fmi2Real values[])
{
    for (size_t i = 0; i < count; i++)
        if (set_value(c, references[i], values[i]))
            return fmi2Error;
    return fmi2OK;
}

/* there are only real numbers */
#define NONE(kind, type)                                                                                           \
    API fmi2Status fmi2Get##kind(fmi2Component c, const fmi2ValueReference r[], size_t count, type values[])       \
    {                                                                                                              \
        (void)c; (void)r; (void)values;                                                                            \
        return count ? fmi2Error : fmi2OK;                                                                         \
    }                                                                                                              \
    API fmi2Status fmi2Set##kind(fmi2Component c, const fmi2ValueReference r[], size_t count, const type values[]) \
    {                                                                                                              \
        (void)c; (void)r; (void)values;                                                                            \
        return count ? fmi2Error : fmi2OK;                                                                         \
    }
NONE(Integer, fmi2Integer)
NONE(Boolean, fmi2Boolean)
NONE(String, fmi2String)

API fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    return keep(state, c) ? fmi2Error : fmi2OK;
}

API fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    memcpy(c, state, sizeof(instance));
    return fmi2OK;
}

API fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi2OK;
}

API fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    (void)c; (void)state;
    *size = sizeof(instance);
    return fmi2OK;
}

API fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    (void)c;
    if (size < sizeof(instance))
        return fmi2Error;
    memcpy(bytes, state, sizeof(instance));
    return fmi2OK;
}

API fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    (void)c;
    return size < sizeof(instance) || keep(state, bytes) ? fmi2Error : fmi2OK;
}

API fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns,
    const fmi2ValueReference known[], size_t knowns, const fmi2Real along[], fmi2Real values[])
{
    (void)c; (void)unknown; (void)unknowns; (void)known; (void)knowns; (void)along; (void)values;
    return fmi2Error;
}

/* -- model exchange ------------------------------------------------------------------------------------------------ */

API fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
    memset(info, 0, sizeof *info);
    info->valuesOfContinuousStatesChanged = settle(c);
    info->terminateSimulation = ((instance *)c)->ended;
    return fmi2OK;
}

API fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean final, fmi2Boolean *event, fmi2Boolean *end)
{
    (void)final;
    *event = has_drifted(c);
    *end = ((instance *)c)->ended;
    return fmi2OK;
}

API fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t)
{
    ((instance *)c)->t = t;
    ((instance *)c)->known = 0;
    return fmi2OK;
}

API fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real y[], size_t count)
{
    if (count != N)
        return fmi2Error;
    memcpy(((instance *)c)->y, y, N*sizeof *y);
    ((instance *)c)->known = 0;
    return fmi2OK;
}

API fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dy[], size_t count)
{
    if (count != N)
        return fmi2Error;
    refresh(c);
    memcpy(dy, ((instance *)c)->dy, N*sizeof *dy);
    return fmi2OK;
}

API fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real values[], size_t count)
{
    if (count != @NAME@_EVENTS)
        return fmi2Error;
@if events
    @name@_events(&((instance *)c)->m, ((instance *)c)->t, ((instance *)c)->y, values);
@end
@if !events
    (void)c; (void)values;
@end
    return fmi2OK;
}

API fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real y[], size_t count)
{
    if (count != N)
        return fmi2Error;
    memcpy(y, ((instance *)c)->y, N*sizeof *y);
    return fmi2OK;
}

API fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real values[], size_t count)
{
    (void)c;
    if (count != N)
        return fmi2Error;
    memcpy(values, @name@_sizes, N*sizeof *values);
    return fmi2OK;
}

/* -- co-simulation ------------------------------------------------------------------------------------------------- */

API fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference references[], size_t count,
    const fmi2Integer orders[], const fmi2Real values[])
{
    (void)c; (void)references; (void)orders; (void)values;
    return count ? fmi2Error : fmi2OK;
}

API fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference references[], size_t count,
    const fmi2Integer orders[], fmi2Real values[])
{
    (void)c; (void)references; (void)orders; (void)values;
    return count ? fmi2Error : fmi2OK;
}

API fmi2Status fmi2DoStep(fmi2Component c, fmi2Real now, fmi2Real step, fmi2Boolean final)
{
    int status;
    (void)final;
    ((instance *)c)->t = now;
    status = advance_to(c, now + step);
    return status < 0 ? fmi2Error : status ? fmi2Discard : fmi2OK;
}

API fmi2Status fmi2CancelStep(fmi2Component c)
{
    (void)c;
    return fmi2Error;
}

API fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
    *value = ((instance *)c)->t;
    return kind == fmi2LastSuccessfulTime ? fmi2OK : fmi2Discard;
}

API fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    *value = ((instance *)c)->ended;
    return kind == fmi2Terminated ? fmi2OK : fmi2Discard;
}

/* no step is ever pending */
#define NEVER(name, type)                                                                                          \
    API fmi2Status name(fmi2Component c, const fmi2StatusKind kind, type *value)                                   \
    {                                                                                                              \
        (void)c; (void)kind; (void)value;                                                                          \
        return fmi2Discard;                                                                                        \
    }
NEVER(fmi2GetStatus, fmi2Status)
NEVER(fmi2GetIntegerStatus, fmi2Integer)
NEVER(fmi2GetStringStatus, fmi2String)
