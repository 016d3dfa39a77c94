/* -- events -------------------------------------------------------------------------------------------------------

   An event has a side: the sign that its value had when that was last clear of rounding. It happens where its value comes
   to be clear on the other side, at the place where the sign has changed. After events have acted a value that is zero
   but for rounding is on the side where it goes. */

#define EVENTS @NAME@_EVENTS
#define SEEN @NAME@_@seen@
#define PLACES (4 + 3*SEEN)

#define SOON 1e-8       /* of a time: when one looks which way things go */
#define GOING 1e-7      /* of a time: within which one sees whether a value rises or falls */
#define INSTANT 1e-13   /* of a time: what happens so close together happens at once */
#define ROUNDING 1e-14  /* of the size: what is not known of a state or a time */
#define NOUGHT 1e-3     /* of what a value soon is: what is rounding of zero */
#define SHOWN 0.03      /* of that noise: a change that shows which way a value goes */
#define FAINT 1e-300    /* a value that is zero, on a known side */
#define ENDLESS 1e-6    /* of a time: pauses so short that have always shrunk lead nowhere */
#define REMAINDER 1e-9  /* of a time: all pauses that are left, together, where they shrink fast */
#define LIFTED 1e-9     /* of the push: a pull that counts */

const char *@name@_words(int status)
{
    static const char *const words[] = {
@trouble@
    };
    return words[-status - 1];
}

void @name@_say(const @name@_instant *at, double t, int what)
{
    if (at->tell)
        at->tell(t, what);
}

/* a share of a time */
static double find_span(double share, double t)
{
    return share*fmax(fabs(t), 1e-3);
}

/* a value that is zero, on the side of another */
static double faint(double side)
{
    return side > 0.0 ? FAINT : side < 0.0 ? -FAINT : 0.0;
}

/* whether i is an event, and neither a stop nor friction, which count where they are negative */
static int is_plain(int i)
{
    return i < EVENTS && @name@_event_kinds[i < EVENTS ? i : 0] < 2;
}

static int crosses(int i, double before, double after)
{
    if (!is_plain(i))
        return after < 0.0;
    const int up = before < 0.0 && after >= 0.0, down = before > 0.0 && after < 0.0;
    const int direction = @name@_event_directions[i];
    return (up && direction != -1) || (down && direction != 1);
}

static int has_any(const int now[], int count)
{
    for (int i = 0; i < count; i++)
        if (now[i])
            return 1;
    return 0;
}

int @name@_find_changes(const double before[], const double after[], int clear, int found[])
{
    for (int i = 0; i < SEEN; i++) {
        found[i] = crosses(i, before[i], after[i]);
@if barriers
        if (clear && i >= EVENTS && i < EVENTS + @NAME@_BARRIERS && !(after[i] < -LIFTED*fmax(before[i], 0.0)))
            found[i] = 0;
@end
    }
    (void)clear;
    return has_any(found, SEEN);
}

/* what values of events change by if the time and the state are wrong by rounding */
static void find_noise(const @name@ *m, double t, const double y[], const double s[], double noise[])
{
    double other[EVENTS], shaken[N];
    @name@_events(m, t + find_span(ROUNDING, t), y, other);
    for (int i = 0; i < EVENTS; i++)
        noise[i] = fabs(other[i] - s[i]);
    memcpy(shaken, y, sizeof shaken);
    for (int j = 0; j < N; j++) {
        shaken[j] += ROUNDING*(@name@_sizes[j] + fabs(y[j]));
        @name@_events(m, t, shaken, other);
        shaken[j] = y[j];
        for (int i = 0; i < EVENTS; i++)
            noise[i] += fabs(other[i] - s[i]);
    }
}

void @name@_judge(const @name@ *m, double t, const double y[], const double seen[], double s[])
{
    double noise[EVENTS];
    int doubtful = 0;
    @name@_@watch@(m, t, y, s);
    for (int i = 0; i < EVENTS; i++)
        doubtful |= is_plain(i) && (s[i] == 0.0 || seen[i] == 0.0 || (s[i] < 0.0) != (seen[i] < 0.0));
    if (!doubtful)
        return;
    find_noise(m, t, y, s, noise);
    for (int i = 0; i < EVENTS; i++)
        if (is_plain(i) && fabs(s[i]) <= noise[i])
            s[i] = faint(seen[i]);
}

void @name@_follow(const @name@ *m, @name@_steps *s, double t, const double y[])
{
    double now[SEEN];
    @name@_judge(m, t, y, s->seen, now);
    memcpy(s->seen, now, sizeof now);
}

@if controllers
int @name@_find_jumps(const @name@ *m, const @name@_steps *s, double t, const double y[], int found[])
{
    double now[SEEN];
    @name@_judge(m, t, y, s->seen, now);
    @name@_find_changes(s->seen, now, 1, found);
    for (int i = 0; i < SEEN; i++)
        found[i] = found[i] && is_plain(i);
    return has_any(found, SEEN);
}

@end
/* -- where something happens in a step ------------------------------------------------------------------------------ */

/* the state inside a step, by the cubic through its ends */
static void between(const double y[], const double k1[], const double next[], const double k2[], double h, double x,
    double found[])
{
    const double p = x/h;
    for (int i = 0; i < N; i++) {
        const double bend = (1.0 - 2.0*p)*(next[i] - y[i]) + h*((p - 1.0)*k1[i] + p*k2[i]);
        found[i] = (1.0 - p)*y[i] + p*next[i] + p*(p - 1.0)*bend;
    }
}

/* where the parabola through three values, at -1, 0 and 1, turns next to zero or beyond it; 2: it does not */
static double find_turn(double a, double b, double c)
{
    const double size = fmax(fmax(fabs(a), fabs(b)), fabs(c)), bend = a - 2.0*b + c, slope = 0.5*(c - a);
    if (fabs(bend) > 0.0 && fabs(slope) <= fabs(bend) && size > 2.0*FAINT) {
        const double x = -slope/bend, least = b + 0.5*slope*x;
        if (fabs(least) <= 0.1*size || (least < 0.0) != (b < 0.0))
            return x;
    }
    return 2.0;
}

/* the quarters of a step, and where values may turn back near zero, in order; how many */
static int find_places(double h, double values[5][SEEN], double places[])
{
    double turns[PLACES], last = 0.0;
    int count = 4, found = 0;
    for (int k = 0; k < 4; k++)
        turns[k] = 0.25*h*(k + 1);
    for (int k = 1; k < 4; k++)
        for (int i = 0; i < SEEN; i++) {
            const double x = find_turn(values[k - 1][i], values[k][i], values[k + 1][i]);
            if (x < 1.5)
                turns[count++] = 0.25*h*(k + x);
        }
    for (int turn = 0; turn < count; turn++) {
        double nearest = 2.0*h;
        for (int k = 0; k < count; k++)
            if (turns[k] > last && turns[k] < nearest)
                nearest = turns[k];
        if (nearest <= h)
            last = places[found++] = nearest;
    }
    return found;
}

/* the state after a step of some length */
static void arrive_at(const @name@ *m, const @name@_steps *s, double t, double h, const double y[], const double k1[],
    double next[])
{
    @name@_attempt(m, s, t, h, y, k1, next);
@if corrects
    @name@_close(m, t + h, next);
@end
}

/* what has happened at a place: only some of the events, but all stops and friction; whether there is any */
static int find_first(const double seen[], const int some[], const double after[], int clear, int found[])
{
    @name@_find_changes(seen, after, clear, found);
    for (int i = 0; i < EVENTS; i++)
        found[i] = found[i] && (some[i] || !is_plain(i));
    return has_any(found, SEEN);
}

/* events whose values are zero but for rounding at the end of a step, and soon on the other side */
static int find_arrivals(const @name@ *m, const double seen[], double t, const double y[], const double dy[], int found[])
{
    double now[EVENTS], soon[EVENTS], noise[EVENTS], later[N];
    int near = 0;
    memset(found, 0, SEEN*sizeof *found);
    for (int i = 0; i < EVENTS; i++)
        near |= is_plain(i) && fabs(seen[i]) > 0.0 && fabs(seen[i]) <= FAINT;
    if (!near)
        return 0;
    @name@_events(m, t, y, now);
    find_noise(m, t, y, now, noise);
    for (int j = 0; j < N; j++)
        later[j] = y[j] + find_span(SOON, t)*dy[j];
    @name@_events(m, t + find_span(SOON, t), later, soon);
    for (int i = 0; i < EVENTS; i++)
        found[i] = is_plain(i) && fabs(seen[i]) <= FAINT && fabs(soon[i]) > noise[i] && crosses(i, seen[i], soon[i]);
    return has_any(found, SEEN);
}

/* go along a step until something happens; between which places */
static int walk(const @name@ *m, @name@_steps *s, double t, double h, const double y[], const double k1[],
    double values[5][SEEN], double *early, double *late, int found[])
{
    double places[PLACES], row[SEEN], tried[N];
    const int count = find_places(h, values, places);
    for (int j = 0; j < count; j++) {
        int quarter = 0;
        *late = places[j];
        for (int k = 1; k < 5; k++)
            if (*late == 0.25*h*k)
                quarter = k;
        if (quarter) {
            memcpy(row, values[quarter], sizeof row);
            for (int i = 0; i < SEEN; i++)
                if (fabs(row[i]) <= FAINT)
                    row[i] = faint(s->seen[i]);
        }
        /* the cubic only says where to look */
        if (!quarter || (quarter < 4 && @name@_find_changes(s->seen, row, 1, found))) {
            arrive_at(m, s, t, *late, y, k1, tried);
            @name@_judge(m, t + *late, tried, s->seen, row);
        }
        if (@name@_find_changes(s->seen, row, 1, found))
            return 1;
        memcpy(s->seen, row, sizeof row);
        *early = *late;
    }
    return 0;
}

int @name@_locate(const @name@ *m, @name@_steps *s, double t, double *h, const double y[], const double k1[],
    double next[], int found[])
{
    double k2[N], lambda[@NAME@_MULTIPLIERS + 1], inner[N], values[5][SEEN], early = 0.0, late = *h;
    int some[SEEN], clear = 1;
    @name@_rhs(m, t + *h, next, k2, lambda);
    memcpy(values[0], s->seen, sizeof values[0]);
    for (int k = 1; k < 5; k++) {
        const double x = 0.25**h*k;
        between(y, k1, next, k2, *h, x, inner);
        @name@_judge(m, t + x, k < 4 ? inner : next, s->seen, values[k]);
    }
    if (!walk(m, s, t, *h, y, k1, values, &early, &late, some))
        return find_arrivals(m, s->seen, t + *h, next, k2, found);
@if barriers
    /* what a stop would have to pull must be clear, unless this is what happens */
    for (int i = 0; i < @NAME@_BARRIERS; i++)
        clear = clear && !some[EVENTS + i];
@end
    while (late - early > 1e-15*(fabs(t) + *h)) {
        const double middle = 0.5*(early + late);
        double now[SEEN];
        if (middle <= early || middle >= late)
            break;
        arrive_at(m, s, t, middle, y, k1, next);
        @name@_@watch@(m, t + middle, next, now);
        if (find_first(s->seen, some, now, clear, found))
            late = middle;
        else
            early = middle;
    }
    *h = late;
    arrive_at(m, s, t, late, y, k1, next);
    @name@_@watch@(m, t + late, next, values[0]);
    return find_first(s->seen, some, values[0], clear, found);
}

/* -- what happens there ---------------------------------------------------------------------------------------------- */

/* tell events; those of friction are told where it sticks and slips. Whether one ends the motion */
static int tell_events(const @name@_instant *at, const int now[])
{
    int stop = 0;
    for (int i = 0; i < EVENTS; i++)
        if (now[i]) {
            if (@name@_event_kinds[i] != 3)
                @name@_say(at, at->t, i);
            stop |= @name@_event_stops[i];
        }
    return stop;
}

/* the state a little later or earlier */
static void look_ahead(const double y[], const double dy[], double span, double found[])
{
    for (int i = 0; i < N; i++)
        found[i] = y[i] + span*dy[i];
}

/* values with which a motion begins: what is zero but for rounding, if it has happened next to that too, is on the side
   where it goes */
static void find_sides(const @name@_instant *at, const int happened[], double found[])
{
    double dy[N], lambda[@NAME@_MULTIPLIERS + 1], y[N], noise[EVENTS], before[EVENTS], soon[EVENTS];
    const double span = find_span(GOING, at->t);
    @name@_rhs(at->m, at->t, at->y, dy, lambda);
    @name@_@watch@(at->m, at->t, at->y, found);
    find_noise(at->m, at->t, at->y, found, noise);
    look_ahead(at->y, dy, -span, y);
    @name@_events(at->m, at->t - span, y, before);
    look_ahead(at->y, dy, span, y);
    @name@_events(at->m, at->t + span, y, soon);
    for (int i = 0; i < EVENTS; i++)
        if (is_plain(i)
            && (fabs(found[i]) <= noise[i] || (happened[i] && fabs(found[i]) <= NOUGHT*fabs(soon[i]))))
            found[i] = fabs(soon[i] - before[i]) > SHOWN*noise[i] ? faint(soon[i] - before[i]) : 0.0;
}

void @name@_begin_motion(@const@@name@ *m, @name@_steps *s, double t, double y[])
{
    const @name@_instant at = {.m = m, .s = s, .t = t, .y = y};
    const int none[EVENTS] = {0};
    memset(s->beat, 0, sizeof s->beat);
    find_sides(&at, none, s->seen);
}

@if reacts
/* whether an event happens because its value has changed at once; what is on the border is not across it */
static int jumps(int i, double before, double after)
{
    const int up = before < 0.0 && after >= 0.0 && before < -1e-9*fabs(after);
    const int down = after < 0.0 && before >= 0.0 && after < -1e-9*fabs(before);
    const int direction = @name@_event_directions[i];
    return (up && direction != -1) || (down && direction != 1);
}

@if values
int @name@_contradict(const int now[], const double a[])
{
    for (int i = 0; i < @NAME@_ACTS; i++)
        for (int k = 0; k < i; k++)
            if (now[@name@_goals[i].event] && now[@name@_goals[k].event] && @name@_goals[i].goal == @name@_goals[k].goal
                && a[i] != a[k])
                return 1;
    return 0;
}

@end
@if !happens
/* what some events do at an instant, each as if it were alone: jumps of speeds are added */
int @name@_react(@name@_instant *at, const int now[])
{
    double a[@NAME@_ACTS], first[N], y[N];
    @name@_acts(at->m, at->t, at->y, a);
    if (@name@_contradict(now, a))
        return -4;
    memcpy(first, at->y, sizeof first);
    for (int i = 0; i < EVENTS; i++) {
        if (!now[i])
            continue;
        memcpy(y, first, sizeof y);
        @name@_act(at->m, i, a, y);
        for (int j = 0; j < N; j++)
            if (y[j] != first[j] && y[j] != at->y[j])
                at->y[j] = at->y[j] != first[j] ? at->y[j] + (y[j] - first[j]) : y[j];
    }
@if settled
    @name@_settle(at->m, at->t, at->y);
@end
    return 0;
}

@end
/* events that are next to the time at which another one acts happen with it; those that pass zero there where it does
   not count are beside it: 1 upwards, -1 downwards */
static void look_beside(const @name@_instant *at, int now[], int beside[])
{
    double dy[N], lambda[@NAME@_MULTIPLIERS + 1], y[N], before[SEEN], after[SEEN];
    const double span = find_span(INSTANT, at->t);
    @name@_rhs(at->m, at->t, at->y, dy, lambda);
    look_ahead(at->y, dy, -span, y);
    @name@_@watch@(at->m, at->t - span, y, before);
    look_ahead(at->y, dy, span, y);
    @name@_@watch@(at->m, at->t + span, y, after);
    for (int i = 0; i < EVENTS; i++) {
        const int up = before[i] < 0.0 && after[i] >= 0.0, down = after[i] < 0.0 && before[i] >= 0.0;
        const int side = is_plain(i) ? up - down : 0;
        now[i] |= is_plain(i) ? jumps(i, before[i], after[i]) : after[i] < 0.0;
        beside[i] = side && @name@_event_directions[i] == -side ? side : 0;
    }
}

/* what was beside and turns back at once counts; whether there is any */
static int find_turned(const @name@_instant *at, int beside[], int now[])
{
    double dy[N], lambda[@NAME@_MULTIPLIERS + 1], y[N], first[EVENTS], soon[EVENTS];
    const double span = find_span(SOON, at->t);
    @name@_rhs(at->m, at->t, at->y, dy, lambda);
    look_ahead(at->y, dy, span, y);
    @name@_events(at->m, at->t, at->y, first);
    @name@_events(at->m, at->t + span, y, soon);
    for (int i = 0; i < EVENTS; i++) {
        now[i] = beside[i] && (soon[i] < 0.0) == (beside[i] > 0) && fabs(first[i]) <= NOUGHT*fabs(soon[i]);
        beside[i] = now[i] ? 0 : beside[i];
    }
    return has_any(now, EVENTS);
}

/* events that act after pauses that shrink by the same factor, until these are next to nothing, do so without end;
   whether there is one. Of each is kept when it acted last, after which pause, by which factor that was shorter, and a
   count: 1 with a time, 2 with a pause, 3 with a factor, and one more for each time that this is the same. What stops
   strike comes to rest */
static int count_pauses(const @name@_instant *at, const int happened[])
{
    int endless = 0;
    for (int i = 0; i < EVENTS; i++)
        if (happened[i] && @name@_event_kinds[i] == 2)
            return 0;
    for (int i = 0; i < EVENTS; i++) {
        double *beat = at->s->beat + 4*i;
        const double pause = at->t - beat[0], factor = pause/fmax(beat[1], FAINT);
        if (!happened[i] || @name@_event_kinds[i] != 1)
            continue;
        const int same = factor < 1.0 && fabs(factor - beat[2]) <= 0.1*beat[2];
        beat[3] = beat[3] < 3.0 || same ? beat[3] + 1.0 : 3.0;
        const int shrunk = beat[3] >= 3.0 && factor < 1.0 && pause <= find_span(NOUGHT, at->t);
        const int fast = beat[3] >= 4.0 && pause*factor <= (1.0 - factor)*find_span(REMAINDER, at->t);
        const int brief = beat[3] >= 5.0 && pause <= find_span(ENDLESS, at->t);
        endless |= shrunk && (brief || fast || at->s->seen[i] == 0.0);
        beat[0] = at->t;
        beat[1] = pause;
        beat[2] = factor;
    }
    return endless;
}

/* events that act, with all that is beside them and that they set off. 0; 1: the motion ends; or a reason */
static int set_off(@name@_instant *at, int now[])
{
    double first[EVENTS], last[EVENTS];
    int beside[EVENTS], happened[EVENTS] = {0}, stop = 0;
    look_beside(at, now, beside);
@if happens
    @name@_meet(at);
@end
    for (int round = 0; round < 100; round++) {
        @name@_events(at->m, at->t, at->y, first);
        stop |= tell_events(at, now);
        const int status = @name@_react(at, now);
        if (status || stop)
            return status ? status : stop;
        @name@_events(at->m, at->t, at->y, last);
        for (int i = 0; i < EVENTS; i++) {
            happened[i] |= now[i];
            now[i] = is_plain(i) && jumps(i, first[i], last[i]);
        }
        if (!has_any(now, EVENTS) && !find_turned(at, beside, now)) {
            find_sides(at, happened, at->s->seen);
            return count_pauses(at, happened) ? -12 : 0;
        }
    }
    return -3;
}

@end
int @name@_happen(@const@@name@ *m, @name@_steps *s, double t, const int found[], double y[], void tell(double, int))
{
    @name@_instant at = {.m = m, .s = s, .t = t, .y = y, .tell = tell};
    int now[EVENTS], stop;
    memcpy(now, found, sizeof now);
@if happens
    double after[SEEN];
    at.slipping = -1;
    @name@_watch(m, t, y, after);
    for (int i = 0; i < EVENTS; i++)
        now[i] |= !is_plain(i) && after[i] < 0.0;
@end
@if reacts
    for (int i = 0; i < EVENTS; i++)
        if (now[i] && @name@_event_kinds[i] > 0)
            return set_off(&at, now);
@end
    stop = tell_events(&at, now);
    for (int i = 0; i < EVENTS; i++)
        if (now[i])
            s->seen[i] = faint(-s->seen[i]);
@if happens
    if (!has_any(now, EVENTS)) {
        const int status = @name@_release(&at, found, after);
        if (status)
            return status;
    }
@end
    @name@_follow(m, s, t, y);
    return stop;
}
