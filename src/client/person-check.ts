import { OffstageError } from '../protocol/error.ts'
import type { Row } from '../protocol/fact.ts'
import { isPersonActing, pageActs } from '../protocol/page-acts.ts'
import { type Asked, AskedCalls, refOf } from './asked-calls.ts'
import type { CallRef, PersonConsent, PressEvent } from './call-answers.ts'
import { isPersonsEvent, notePress, nowMs, returnPress, usePress } from './presses.ts'
import { PressWatch } from './press-watch.ts'

/** How long a consent stays valid. Milliseconds. */
const CONSENT_MS = 120_000

/** `'page'`: an answer needs no user gesture, unless page tools act. */
export type ConsentMode = 'person' | 'page'

/** A consent that was given and is not used yet. */
interface Given {
  readonly toolCallId: string
  readonly conversationId?: string
  /** Time on the clock of `nowMs`. */
  readonly at: number
  /** Turns of page tools when the consent was given. */
  readonly turns: number
  readonly seq: number | undefined
}

/** Seq of the row that requested the answer. Undefined if this page doesn't know it. */
export type AnsweredQuestion = number | undefined

/** A person's approval or answer, used for one call. */
export interface PersonsWord {
  readonly askedAt: AnsweredQuestion
  /** Makes the gesture or consent usable again, as it has answered nothing. */
  takeBack(): void
}

/**
 * Keeps a model from answering for a person: page tools could press the page's own buttons. With `'person'`, each
 * answer needs a user gesture. Else answers are refused while page tools act. If they have acted since the request, a
 * person must act first.
 */
export class PersonCheck {
  readonly #asked = new AskedCalls()
  readonly #given = new WeakMap<PersonConsent, Given>()
  readonly #watch: PressWatch
  readonly #mode: ConsentMode | undefined
  #needsPress = false

  constructor(mode: ConsentMode | undefined, signal: AbortSignal) {
    this.#mode = mode
    this.#watch = new PressWatch(signal)
    if (mode === 'person') this.requirePerson()
  }

  /** Makes answers need a user gesture from now on, unless the app chose `'page'`. */
  requirePerson(): void {
    if (this.#mode === 'page') return
    this.#needsPress = true
    this.#watch.look()
  }

  note(row: Row): void {
    if (this.#asked.note(row) && this.#needsPress) this.#watch.look()
  }

  /** See `CallAnswers`. */
  give(call: CallRef, event?: PressEvent): PersonConsent {
    this.#watch.look()
    const native = event && 'nativeEvent' in event ? event.nativeEvent : event
    const isPersons = isPersonsEvent(native)
    if (isPersons) notePress(native)
    const asked = this.#asked.find(call)
    if ((native && !isPersons) || !usePress(asked.at)) throw refused()
    const consent: PersonConsent = Object.freeze({ ...idsOf(call) })
    const { turns } = pageActs()
    this.#given.set(consent, { ...idsOf(call), at: nowMs(), turns, seq: asked.seq })
    return consent
  }

  /** Throws `consent-refused`. Call it before anything is awaited. */
  check(call: CallRef, consent?: PersonConsent): PersonsWord {
    const asked = this.#asked.find(call)
    const takeBack = consent
      ? this.#use(consent, call, asked)
      : this.#needsPress
        ? usedPress(asked.at)
        : isFree(asked) && NOTHING
    if (!takeBack) throw refused()
    return { askedAt: asked.seq, takeBack }
  }

  /** Checks approvals of several calls by one user gesture. Returns the seq of each request. */
  checkAll(calls: readonly CallRef[]): readonly AnsweredQuestion[] {
    const asked = calls.map((call) => this.#asked.find(call))
    const newest = Math.max(...asked.map(({ at }) => at))
    if (asked.length === 0) return []
    const isGiven = this.#needsPress ? usePress(newest) !== null : asked.every(isFree)
    if (!isGiven) throw refused()
    return asked.map(({ seq }) => seq)
  }

  /** Checks an answer that reports an outcome. The page's own code may give it, except in `'person'` mode. */
  checkOutcome(call: CallRef, consent?: PersonConsent): PersonsWord | null {
    return this.#mode === 'person' ? this.check(call, consent) : null
  }

  /** Uses up a consent. Returns a function that restores it; false if the consent isn't valid for this call. */
  #use(consent: PersonConsent, call: CallRef, asked: Asked): TakeBack | false {
    const given = this.#given.get(consent)
    if (!given) return false
    const acts = pageActs()
    const isFor = idsOf(call)
    const isThis =
      given.toolCallId === isFor.toolCallId &&
      (given.conversationId ?? isFor.conversationId) ===
        (isFor.conversationId ?? given.conversationId)
    if (!isThis) return false
    this.#given.delete(consent)
    const isFresh = acts.open === 0 && acts.turns === given.turns
    const isGood = isFresh && given.seq === asked.seq && nowMs() - given.at <= CONSENT_MS
    return isGood && (() => void this.#given.set(consent, given))
  }
}

type TakeBack = PersonsWord['takeBack']

const NOTHING: TakeBack = () => undefined

function usedPress(since: number): TakeBack | null {
  const press = usePress(since)
  return press && (() => returnPress(press))
}

function idsOf(call: CallRef): Pick<Given, 'toolCallId' | 'conversationId'> {
  const { toolCallId, conversationId } = refOf(call)
  return { toolCallId, ...(conversationId !== undefined && { conversationId }) }
}

function isFree({ turns }: Asked): boolean {
  const acts = pageActs()
  const hasActed = acts.open > 0 || acts.turns > turns
  return !hasActed || isPersonActing(acts)
}

function refused(): OffstageError {
  return new OffstageError(
    'consent-refused',
    'This needs a person’s own click, while no page tool is acting. Click again.',
    { retryable: true },
  )
}
