import {
  asSent,
  cleanText,
  escapeMarks,
  isScrubbed,
  quote,
  shorten,
  withoutSigns,
} from '../clean-text.ts'
import { isElement, isTag, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import { livePage, type LivePage, scrub, scrubber } from '../outline/live-page.ts'
import type { ActOptions } from '../options.ts'
import { PageError } from '../page-error.ts'
import { framed } from '../read/snapshot.ts'
import { clickElement } from './click.ts'
import { describeElement, validationMessageOf } from './describe.ts'
import { isPlainTextField } from './field-kind.ts'
import { parameterOf } from './form-definition.ts'
import { digestBeside } from './subject.ts'
import { checkKey } from './guard-actions.ts'
import { keyOf } from './key.ts'
import { sendKeyPress } from './keyboard.ts'
import { type ActionContext, type ActionReport, perform, type Telling } from './perform.ts'
import { elementsOf, isStandIn, submitterOf } from './sites.ts'
import { describeThrown } from '../../protocol/error.ts'
import { withoutHidden } from '../../lib/invisible.ts'

/** Fills one field. */
export interface Filling {
  readonly key: string
  readonly elements: readonly Element[]
  fill(context: ActionContext): Promise<Telling>
}

export interface FormTask {
  readonly form: HTMLFormElement
  readonly fillings: readonly Filling[]
  /** False: a person checks the form first. */
  readonly submits: boolean
  /** Whether the approval covered this press. Undefined: nobody was asked about the call. */
  readonly isApproved?: (press: SendingPress) => boolean
}

const RESPONSE_LIMIT = 20_000

/**
 * Fills in a form and sends it as a person would. Rejects with `refused-value`, naming each field that refused its
 * value.
 */
export function submitForm(task: FormTask, options: ActOptions): Promise<ActionReport> {
  const live = livePage(options.page)
  const { form, submits } = task
  let watch: SubmitWatch | null = null
  return perform(options, async (context) => {
    const others = digestOfOthers(task, live)
    const tellings = await fillAll(task, context)
    const press = pressThatSends(form)
    requireValid(form, live)
    requireApproved(task, press)
    if (task.isApproved && digestOfOthers(task, live) !== others) throw stale(OTHERS)
    if (!submits) {
      if (press) native.focus(press.on)
      const how = press?.action === 'click' ? `press ${describeElement(press.on, live)}` : 'send it'
      const end = `The form is not sent: on this page a person checks it first. Tell them, or ${how} if they agreed.`
      return {
        summary: (seen) => [...toldBy(tellings, seen), end].join('\n'),
        expectsChange: false,
      }
    }
    if (!press)
      return {
        summary: (seen) =>
          [...toldBy(tellings, seen), 'The form is not sent: it has no submit button.'].join('\n'),
        expectsChange: false,
      }
    // A button may send it later.
    const watched = (watch = watchSubmit(form))
    const on = describeElement(press.on, live)
    const pressed = press.action === 'click' ? on : `Enter in ${on}`
    await sendPress(press, context)
    const { response } = watched
    const answer = response && (await untilAnswered(response, context))
    return { summary: () => endOf(watched, pressed, answer) }
  }).finally(() => watch?.stop())
}

async function fillAll(
  { fillings }: FormTask,
  context: ActionContext,
): Promise<readonly Telling[]> {
  const tellings: Telling[] = []
  const problems: string[] = []
  for (const { key, fill } of fillings)
    try {
      tellings.push(await fill(context))
    } catch (error) {
      if (!PageError.is(error) || error.code === 'unconfirmed' || error.code === 'stale-ref')
        throw error
      problems.push(`${key}: ${isScrubbed(error) ? asSent(error.message) : error.message}`)
    }
  if (problems.length > 0) throw notSent(problems)
  return tellings
}

/** Throws if the page, or filling in, put another button in the place of the approved one. */
function requireApproved({ submits, isApproved }: FormTask, press: SendingPress | null): void {
  if (submits && press && isApproved?.(press) === false) throw stale(PRESS)
}

function digestOfOthers({ form, fillings }: FormTask, { options }: LivePage): string {
  return digestBeside(
    form,
    fillings.flatMap(({ elements }) => elements),
    options,
  )
}

const PRESS = 'The form is now sent in a way that nobody approved.'
const OTHERS = 'Other fields of the form changed as it was filled in.'

function stale(why: string): PageError {
  return new PageError('stale-ref', `${why} Nothing was sent. Make the call again.`)
}

/** Throws the messages that the browser would show a person, unless the form has `novalidate`. */
function requireValid(form: HTMLFormElement, live: LivePage): void {
  if (!native.isConnected(form))
    throw new PageError(
      'stale-ref',
      'The page replaced the form as it was filled in. Nothing was sent.',
    )
  if (native.hasAttribute(form, 'novalidate')) return
  const problems = elementsOf(form).flatMap((field) => {
    const message = validationMessageOf(field)
    return message
      ? [`${parameterOf(field, scrubber(live)) || describeElement(field, live)}: ${message}`]
      : []
  })
  if (problems.length > 0) throw notSent(problems)
}

function notSent(problems: readonly string[]): PageError {
  return new PageError('refused-value', ['Nothing was sent:', ...problems].join('\n'))
}

/** Control that a person presses to send a form: its first button, else Enter in its only field. */
export interface SendingPress {
  readonly on: HTMLElement
  readonly action: 'click' | 'enter'
}

export function pressThatSends(form: HTMLFormElement): SendingPress | null {
  const elements = elementsOf(form).filter(isElement)
  const buttons = elements.filter((one) => submitterOf(one) === one)
  const button = buttons.find((one) => !native.matches(one, ':disabled')) ?? buttons[0]
  if (button) return { on: button, action: 'click' }
  const [field, ...others] = elements.filter((one) => isPlainTextField(one))
  return field && others.length === 0 && isTag(field, 'input')
    ? { on: field, action: 'enter' }
    : null
}

async function sendPress({ on, action }: SendingPress, context: ActionContext): Promise<void> {
  if (action === 'click') {
    await clickElement(on, context)
    return
  }
  checkKey(on, context, 'activate')
  native.focus(on)
  sendKeyPress(on, keyOf('Enter'), context)
}

/** Report once the page has settled. A script of the page may send the form without an event. */
function endOf(
  { isSubmitted, response }: SubmitWatch,
  pressed: string,
  answer: string | null,
): string {
  if (!isSubmitted)
    return `Filled in the form and pressed ${pressed}. The page sent no form by itself; its own script may have sent it. Look at what changed before you send it again.`
  const sent = 'Filled in and sent the form.'
  if (answer === null) return response ? `${sent} The page answers later.` : sent
  const shown = shorten(escapeMarks(answer), RESPONSE_LIMIT)
  return `${sent} The page answers (untrusted page content):\n${framed(shown)}`
}

function toldBy(tellings: readonly Telling[], seen: Parameters<Telling>[0]): string[] {
  return tellings.map((telling) => telling(seen))
}

/** How long a page may take to answer. Milliseconds. */
const ANSWER_MS = 30_000
/** Characters of the page's reason for a refusal. */
const REFUSAL_LIMIT = 200

interface SubmitWatch {
  readonly isSubmitted: boolean
  /** Answer that the page gives instead of navigating. */
  readonly response: Promise<unknown> | null
  stop(): void
}

/**
 * Marks the form's `submit` event as an agent's, as WebMCP does: adds `agentInvoked` and `respondWith`, also in
 * browsers without them.
 */
function watchSubmit(form: HTMLFormElement): SubmitWatch {
  const view = viewOf(form)
  const watching = new AbortController()
  let isSubmitted = false
  let response: Promise<unknown> | null = null
  view.addEventListener(
    'submit',
    (event) => {
      // An event that a script made up sends nothing.
      if (event.target !== form || !isStandIn(event)) return
      isSubmitted = true
      const respondWith = (answer: unknown): void => {
        if (!event.defaultPrevented || event.eventPhase === 0)
          throw new view.DOMException(
            'Call preventDefault() first, and respondWith() while the event is handled.',
            'InvalidStateError',
          )
        response = Promise.resolve(answer)
        // Whoever awaits the response handles its rejection.
        response.catch(() => undefined)
      }
      Object.defineProperties(event, {
        agentInvoked: { value: true, configurable: true },
        respondWith: { value: respondWith, configurable: true },
      })
    },
    { capture: true, signal: watching.signal },
  )
  return {
    get isSubmitted() {
      return isSubmitted
    },
    get response() {
      return response
    },
    stop: () => watching.abort(),
  }
}

/** Returns the answer as text, without secrets. Rejects with `refused-value` if the page rejects. */
async function untilAnswered(
  response: Promise<unknown>,
  { live, signal }: { readonly live: LivePage; readonly signal: AbortSignal | undefined },
): Promise<string> {
  const time = AbortSignal.timeout(ANSWER_MS)
  const ended = signal ? AbortSignal.any([signal, time]) : time
  const end = new Promise<never>((_resolve, reject) => {
    const stop = (): void =>
      reject(
        signal?.aborted
          ? (signal.reason as Error)
          : new PageError('timeout', 'The form was sent, and the page did not answer in time.'),
      )
    if (ended.aborted) stop()
    ended.addEventListener('abort', stop, { once: true })
  })
  const refusal = (thrown: unknown): never => {
    // Scrub first, then shorten: the beginning of a secret that is cut would stay.
    const said = shorten(scrub(cleanText(describeThrown(thrown)), live), REFUSAL_LIMIT)
    throw new PageError('refused-value', `The page refused what was sent: ${quote(said)}`)
  }
  const text = textOf(await Promise.race([response.catch(refusal), end]))
  return scrub(withoutSigns(withoutHidden(text)), live)
}

/** Never throws: the form was sent, even if its answer has no text. */
function textOf(answer: unknown): string {
  if (typeof answer === 'string') return answer
  try {
    return JSON.stringify(answer) ?? 'Nothing.'
  } catch {
    return 'Something that JSON cannot hold.'
  }
}
