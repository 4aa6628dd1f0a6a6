import { asSent, isScrubbed } from '../as-sent.ts'
import { cleanText, escapeMarks, shorten } from '../clean-text.ts'
import { isElement, isTag } from '../dom.ts'
import * as native from '../native.ts'
import { livePage, type LivePage } from '../outline/live-page.ts'
import type { ActOptions } from '../options.ts'
import { PageError } from '../page-error.ts'
import { framed } from '../read/frame.ts'
import { clickElement } from './click.ts'
import { describeElement } from './describe.ts'
import { isPlainTextField } from './field-kind.ts'
import { checkKey } from './guard-actions.ts'
import { keyOf } from './key.ts'
import { sendKeyPress } from './keyboard.ts'
import { perform, type ActionContext, type ActionReport, type Telling } from './perform.ts'
import { elementsOf, submitterOf } from './sites.ts'
import { validationMessageOf } from './validation-message.ts'
import { type SubmitWatch, untilAnswered, watchSubmit } from './watch-submit.ts'

/** Fills one field. */
export interface Filling {
  readonly key: string
  fill(context: ActionContext): Promise<Telling>
}

export interface FormTask {
  readonly form: HTMLFormElement
  readonly fillings: readonly Filling[]
  /** False: a person is to look at it first. */
  readonly submits: boolean
}

const RESPONSE_LIMIT = 20_000

/** Fills a form in, and sends it as a person does. Rejects with `refused-value` for what it doesn't take, field by field. */
export function submitForm(task: FormTask, options: ActOptions): Promise<ActionReport> {
  const live = livePage(options.page)
  const { form, submits } = task
  let watch: SubmitWatch | null = null
  return perform(options, async (context) => {
    const tellings = await fillAll(task, context)
    const press = pressThatSends(form)
    requireValid(form, live)
    if (!submits) {
      if (press) native.focus(press.on)
      const how = press?.action === 'click' ? `press ${describeElement(press.on, live)}` : 'send it'
      const end = `It is not sent: on this page a person checks it first. Tell them, or ${how} if they said so.`
      return {
        summary: (seen) => [...toldBy(tellings, seen), end].join('\n'),
        expectsChange: false,
      }
    }
    if (!press)
      return {
        summary: (seen) =>
          [...toldBy(tellings, seen), 'It is not sent: it has nothing to press for that.'].join(
            '\n',
          ),
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

/** By what the browser would say to a person; unless the form says that it checks by itself. */
function requireValid(form: HTMLFormElement, live: LivePage): void {
  if (!native.isConnected(form))
    throw new PageError(
      'stale-ref',
      'The page replaced the form as it was filled in. Nothing was sent.',
    )
  if (native.hasAttribute(form, 'novalidate')) return
  const problems = elementsOf(form).flatMap((field) => {
    const message = validationMessageOf(field)
    const name = native.getAttribute(field, 'name') || describeElement(field, live)
    return message ? [`${cleanText(name)}: ${message}`] : []
  })
  if (problems.length > 0) throw notSent(problems)
}

function notSent(problems: readonly string[]): PageError {
  return new PageError('refused-value', ['Nothing was sent:', ...problems].join('\n'))
}

/** What a person presses to send a form: its first button, else Enter in its only field. */
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

/** What is said once the page has settled. A page may send by a script of its own, of which no event tells. */
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
