import {
  asSent,
  cleanText,
  escapeMarks,
  isScrubbed,
  quote,
  shorten,
  withoutSigns,
} from '../clean-text.ts'
import { isElement, isTag, viewOf, closest, isDisplayed, labelsOf } from '../dom.ts'
import * as native from '../native.ts'
import { livePage, type LivePage, scrub, scrubber } from '../outline/live-page.ts'
import { type ActOptions, PageError } from '../page.ts'
import { framed } from '../read/snapshot.ts'
import { clickElement } from './click.ts'
import { describeElement, validationMessageOf } from './target.ts'
import { blocksSubmission } from './field-kind.ts'
import { digestBeside } from './approval-target.ts'
import { checkKey } from './guard-actions.ts'
import { keyOf } from './text/key.ts'
import { sendKeyPress } from './text/keyboard.ts'
import { type ActionContext, type ActionReport, perform, type ResultReporter } from './perform.ts'
import { elementsOf, isStandIn, submitterOf } from './sites.ts'
import { describeThrown } from '../../protocol/error.ts'
import { cleanUntrustedText } from '../../lib/invisible.ts'
import type { JsonObject, JsonSchema } from '../../protocol/json.ts'
import { getAccessibleName } from '../outline/name.ts'
import { isAllowed } from '../outline/region.ts'
import { getShownRole } from '../outline/role.ts'
import { isReadOnly } from '../outline/state.ts'
import { isMasked } from '../secrets/secret-fields.ts'
import { unseenBox, unseenReason } from '../sight/unseen.ts'

/** Fills one field. */
export interface Filling {
  readonly key: string
  readonly elements: readonly Element[]
  fill(context: ActionContext): Promise<ResultReporter>
}

export interface FormTask {
  readonly form: HTMLFormElement
  readonly fillings: readonly Filling[]
  /** False: a person checks the form first. */
  readonly submits: boolean
  /** Whether the approval covered the use of this button. Undefined: the call needed no approval. */
  readonly isApproved?: (press: SubmitControl) => boolean
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
    const reporters = await fillAll(task, context)
    const press = findSubmitControl(form)
    requireValid(form, live)
    requireApproved(task, press)
    if (task.isApproved && digestOfOthers(task, live) !== others) throw stale(OTHERS)
    if (!submits) {
      if (press) native.focus(press.element)
      const how =
        press?.action === 'click' ? `press ${describeElement(press.element, live)}` : 'send it'
      const end = `The form is not sent: on this page a person checks it first. Tell them, or ${how} if they agreed.`
      return {
        summary: (seen) => [...collectReports(reporters, seen), end].join('\n'),
        expectsChange: false,
      }
    }
    if (!press)
      return {
        summary: (seen) =>
          [
            ...collectReports(reporters, seen),
            'The form is not sent: it has no submit button.',
          ].join('\n'),
        expectsChange: false,
      }
    // A button may send it later.
    const watched = (watch = watchSubmit(form))
    const on = describeElement(press.element, live)
    const pressed = press.action === 'click' ? on : `Enter in ${on}`
    await pressSubmitControl(press, context)
    const { response } = watched
    const answer = response && (await untilAnswered(response, context))
    return { summary: () => endOf(watched, pressed, answer) }
  }).finally(() => watch?.stop())
}

async function fillAll(
  { fillings }: FormTask,
  context: ActionContext,
): Promise<readonly ResultReporter[]> {
  const reporters: ResultReporter[] = []
  const problems: string[] = []
  for (const { key, fill } of fillings)
    try {
      reporters.push(await fill(context))
    } catch (error) {
      if (!PageError.is(error) || error.code === 'unconfirmed' || error.code === 'stale-ref')
        throw error
      problems.push(`${key}: ${isScrubbed(error) ? asSent(error.message) : error.message}`)
    }
  if (problems.length > 0) throw notSent(problems)
  return reporters
}

/** Throws if the page, or filling in, put another button in the place of the approved one. */
function requireApproved({ submits, isApproved }: FormTask, press: SubmitControl | null): void {
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
    const message = validationMessageOf(field, live.options)
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
export interface SubmitControl {
  readonly element: HTMLElement
  readonly action: 'click' | 'enter'
}

export function findSubmitControl(form: HTMLFormElement): SubmitControl | null {
  const elements = elementsOf(form).filter(isElement)
  const buttons = elements.filter((one) => submitterOf(one) === one)
  const button = buttons.find((one) => !native.matches(one, ':disabled')) ?? buttons[0]
  if (button) return { element: button, action: 'click' }
  const [field, ...others] = elements.filter(blocksSubmission)
  return field && others.length === 0 ? { element: field, action: 'enter' } : null
}

async function pressSubmitControl(
  { element: on, action }: SubmitControl,
  context: ActionContext,
): Promise<void> {
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

function collectReports(
  reporters: readonly ResultReporter[],
  seen: Parameters<ResultReporter>[0],
): string[] {
  return reporters.map((reporter) => reporter(seen))
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
      // An event that a script made up sends nothing. The browser's own comes here while a person presses elsewhere.
      if (event.target !== form || !(event.isTrusted || isStandIn(event))) return
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
  return scrub(withoutSigns(cleanUntrustedText(text)), live)
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

/** `choice`: one of several, by its label; `choices`: any of them; `box`: true or false. */
type FieldKind = 'text' | 'number' | 'box' | 'choice' | 'choices'

/** Parameter of a form's tool: a field, or the radio buttons or checkboxes of one name. */
export interface FormField {
  readonly key: string
  readonly elements: readonly HTMLElement[]
  /** Labels of the elements, in their order. */
  readonly labels: readonly string[]
  readonly kind: FieldKind
  readonly schema: JsonObject
  readonly isRequired: boolean
}

const TEXTLESS = /^(hidden|submit|button|reset|image|file)$/
const MAX_OPTIONS = 100
const OPTION_LABEL_LIMIT = 100
const PATTERN_LIMIT = 200

/** Returns null for a field that no call fills. */
function kindOf(elements: readonly HTMLElement[]): FieldKind | null {
  const [element] = elements
  if (!element) return null
  if (isTag(element, 'textarea')) return 'text'
  if (isTag(element, 'select')) return element.multiple ? 'choices' : 'choice'
  if (!isTag(element, 'input') || TEXTLESS.test(element.type)) return null
  switch (element.type) {
    case 'radio':
      return 'choice'
    case 'checkbox':
      return elements.length > 1 ? 'choices' : 'box'
    case 'number':
    case 'range':
      return 'number'
    default:
      return 'text'
  }
}

interface Said {
  readonly label: string
  readonly labels: readonly string[]
  /** The field's content is kept from the model. */
  readonly masked: boolean
  /** Removes secrets. */
  readonly clean: (text: string) => string
}

/**
 * Schema of a parameter, from the field's own constraints. Leaves current values out: they are the person's. Null: no
 * call fills it.
 */
function fieldSchema(
  elements: readonly HTMLElement[],
  said: Said,
): Pick<FormField, 'kind' | 'schema'> | null {
  const kind = kindOf(elements)
  const [element] = elements
  return kind && element ? { kind, schema: kindSchema(kind, element, said) } : null
}

function kindSchema(kind: FieldKind, element: HTMLElement, said: Said): JsonObject {
  const { label, masked } = said
  switch (kind) {
    case 'box':
      return { type: 'boolean', ...described(label) }
    case 'number':
      return {
        ...(masked ? { type: 'number' } : numberSchema(element as HTMLInputElement)),
        ...described(label),
      }
    case 'text': {
      const rule = masked ? {} : textRules(element as HTMLInputElement, said.clean)
      return {
        type: 'string',
        ...rule,
        ...described(label, isTag(element, 'input') ? FORMATS[element.type] : ''),
      }
    }
    case 'choice':
      return { type: 'string', ...choiceRule(element, said), ...described(label) }
    case 'choices':
      return {
        type: 'array',
        items: { type: 'string', ...choiceRule(element, said) },
        ...described(label),
      }
    default:
      return kind satisfies never
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  date: 'As 2026-03-09',
  time: 'As 14:30',
  'datetime-local': 'As 2026-03-09T14:30',
  month: 'As 2026-03',
  week: 'As 2026-W11',
  color: 'As #ff8800',
  email: 'An e-mail address',
  url: 'An address with https://',
}

function described(label: string, format = ''): JsonObject {
  const description = [label, format].filter(Boolean).join('. ')
  return description ? { description } : {}
}

function numberSchema({ min, max, step }: HTMLInputElement): JsonObject {
  const isWhole =
    step !== 'any' && Number.isInteger(Number(step || 1)) && Number.isInteger(Number(min || 0))
  return {
    type: isWhole ? 'integer' : 'number',
    ...(min !== '' && Number.isFinite(Number(min)) && { minimum: Number(min) }),
    ...(max !== '' && Number.isFinite(Number(max)) && { maximum: Number(max) }),
  }
}

function textRules(
  { minLength, maxLength, pattern }: HTMLInputElement,
  clean: (text: string) => string,
): JsonObject {
  const plain = (pattern ?? '').replace(/\\/g, '')
  const isSecret = [pattern ?? '', plain].some((text) => clean(text) !== text)
  return {
    ...(minLength > 0 && { minLength }),
    ...(maxLength >= 0 && { maxLength }),
    ...(!isSecret && isSound(pattern) && { pattern: `^(?:${pattern})$` }),
  }
}

function isSound(pattern: string | undefined): pattern is string {
  if (!pattern || pattern.length > PATTERN_LIMIT) return false
  try {
    return Boolean(new RegExp(`^(?:${pattern})$`, 'u'))
  } catch {
    return false
  }
}

/** Lists the choices, up to 100: more cost more than they help, and labels work without a list. */
function choiceRule(element: HTMLElement, { labels, masked, clean }: Said): JsonObject {
  const shown = isTag(element, 'select') ? optionsOf(element).map(clean) : labels
  const choices = [...new Set(shown)]
  return masked || choices.length === 0 || choices.length > MAX_OPTIONS ? {} : { enum: choices }
}

function optionsOf(select: HTMLSelectElement): readonly string[] {
  return [...select.options]
    .filter(({ disabled, value }) => !disabled && !(select.required && value === ''))
    .map(({ label }) => shorten(cleanText(label), OPTION_LABEL_LIMIT))
    .filter(Boolean)
}

// The attributes are those of WebMCP's declarative forms:
// https://github.com/webmachinelearning/webmcp/blob/main/declarative-api-explainer.md

/** A form as a tool. All texts are the page's. */
export interface FormDefinition {
  /** Name that the page gives the tool. */
  readonly name: string
  readonly description: string
  /** The page lets the tool submit the form without a person's check. */
  readonly submits: boolean
  readonly fields: readonly FormField[]
  readonly inputSchema: JsonSchema
}

const NAME_LIMIT = 64
const DESCRIPTION_LIMIT = 2000
const LABEL_LIMIT = 200
const MAX_FIELDS = 40
const UNSAFE = /^(__proto__|constructor|prototype)$/

/** Returns null if the form has no tool name or no description. */
export function readForm(form: HTMLFormElement, live: LivePage): FormDefinition | null {
  const clean = scrubber(live)
  const said = (element: Element, attribute: string, limit: number): string =>
    shorten(clean(cleanText(native.getAttribute(element, attribute) ?? '')), limit)
  const name = said(form, 'toolname', NAME_LIMIT)
  const description = said(form, 'tooldescription', DESCRIPTION_LIMIT)
  if (!name || !description) return null
  const fields: FormField[] = []
  for (const [key, elements] of grouped(form, live, clean)) {
    const [element] = elements
    if (!element || fields.length >= MAX_FIELDS) continue
    const masked = elements.some((one) => isMasked(one, live.options))
    const label = clean(labelOf(elements, live, said))
    const labels = elements.map((one) => clean(nameText(one, live)) || 'on')
    const filled = fieldSchema(elements, { label, labels, masked, clean })
    if (filled) fields.push({ key, elements, labels, ...filled, ...requiredIn(elements, masked) })
  }
  return {
    name,
    description,
    submits: native.hasAttribute(form, 'toolautosubmit'),
    fields,
    inputSchema: schemaOf(fields),
  }
}

function schemaOf(fields: readonly FormField[]): JsonSchema {
  const properties: JsonObject = Object.fromEntries(fields.map(({ key, schema }) => [key, schema]))
  const required = fields.filter((field) => field.isRequired).map(({ key }) => key)
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  } as JsonSchema
}

/** Never requires a masked field: a person may fill in the secret. The browser reports it if it is missing. */
function requiredIn(elements: readonly Element[], masked: boolean): { isRequired: boolean } {
  return { isRequired: !masked && elements.some((one) => native.hasAttribute(one, 'required')) }
}

/** Parameter name of a field: its `name`, reduced to word characters, dots and hyphens, so it can't carry page text. */
function parameterOf(field: Element, clean: (text: string) => string): string {
  const name = clean(native.getAttribute(field, 'name') ?? '')
  return name.replace(/[^\w.-]/g, '_').slice(0, NAME_LIMIT)
}

/**
 * Fields that a call may fill, by the name they are sent under. Radio buttons or checkboxes of one name form a group.
 */
function grouped(
  form: HTMLFormElement,
  live: LivePage,
  clean: (text: string) => string,
): Map<string, HTMLElement[]> {
  const groups = new Map<string, HTMLElement[]>()
  for (const element of elementsOf(form)) {
    const key = parameterOf(element, clean)
    if (!key || UNSAFE.test(key) || !isElement(element) || !kindOf([element])) continue
    if (!isAllowed(element, live.options) || !isShown(element)) continue
    if (isReadOnly(element) || native.matches(element, ':disabled')) continue
    const group = groups.get(key)
    if (!group) groups.set(key, [element])
    // Other fields that share a name can't be told apart by it.
    else if (isBox(element) && group.every((one) => isBox(one) && typeOf(one) === typeOf(element)))
      group.push(element)
  }
  return groups
}

/** Whether a person sees the field, or the label in its place. A field that nobody sees is a trap for bots. */
function isShown(element: Element): boolean {
  if (closest(element, '[inert],[aria-hidden=true]')) return false
  return [element, ...labelsOf(element)].some(
    (one) =>
      isDisplayed(one, { visibilityProperty: true }) &&
      unseenBox(one) === null &&
      unseenReason(one) === null,
  )
}

function isBox(element: Element): boolean {
  return isTag(element, 'input') && /^(radio|checkbox)$/.test(element.type)
}

function typeOf(element: Element): string {
  return isTag(element, 'input') ? element.type : ''
}

function nameText(element: Element, { options }: LivePage): string {
  return shorten(
    cleanText(getAccessibleName(element, getShownRole(element) || 'textbox', options).text),
    LABEL_LIMIT,
  )
}

/** The page's description of a field. For a group of boxes, the description of the group. */
function labelOf(
  elements: readonly HTMLElement[],
  live: LivePage,
  said: (element: Element, attribute: string, limit: number) => string,
): string {
  const [element] = elements
  if (!element) return ''
  const group = isBox(element) && (elements.length > 1 || typeOf(element) === 'radio')
  const around = group ? closest(element, 'fieldset,[role=radiogroup],[role=group]') : null
  const holder = around ?? element
  const parts = [
    said(holder, 'toolparamtitle', LABEL_LIMIT),
    said(holder, 'toolparamdescription', LABEL_LIMIT),
  ]
  const own = parts.filter(Boolean).join(': ')
  return own || (group ? (around ? nameText(around, live) : '') : nameText(element, live))
}
