import { cleanText, escapeMarks, quote, shorten, withoutSigns } from '../clean-text.ts'
import { isElement, isTag, viewOf, closest, isDisplayed, labelsOf } from '../dom.ts'
import * as native from '../native.ts'
import { livePage, type LivePage, scrub, scrubber } from '../outline/live-page.ts'
import { type ActOptions, PageError } from '../page.ts'
import { framed } from '../read/snapshot.ts'
import { clickElement } from './click.ts'
import { describeElement, validationMessageOf } from './target.ts'
import { blocksSubmission } from './field-kind.ts'
import { digestFormFields } from './approval-target.ts'
import { type ActionContext, checkKey } from './guard-actions.ts'
import { keyOf } from './text/key.ts'
import { sendKeyPress } from './text/keyboard.ts'
import {
  type ActionOutcome,
  type ActionReport,
  messageOf,
  perform,
  type ResultReporter,
} from './perform.ts'
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
import { sleep } from '../waiting.ts'

/** Fills one field. */
export interface Filling {
  readonly key: string
  readonly elements: readonly Element[]
  fill(context: ActionContext): Promise<ResultReporter>
}

export interface FormTask {
  readonly form: HTMLFormElement
  readonly fillings: readonly Filling[]
  /** False if a person must check the form and submit it. */
  readonly submits: boolean
  /** Whether the approval covered the use of this button. Undefined if the call needed no approval. */
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
    const digestBefore = digestOtherFields(task, live)
    const reporters = await fillFields(task, context)
    const press = findSubmitControl(form)
    requireValid(form, live)
    // The page may have replaced the approved button, also while the form was filled in.
    if (submits && press && task.isApproved?.(press) === false)
      throw createStaleError(CHANGED_SUBMIT)
    if (task.isApproved && digestOtherFields(task, live) !== digestBefore)
      throw createStaleError(CHANGED_FIELDS)
    const notSent = (reason: string): ActionOutcome => ({
      summary: (result) =>
        [...reporters.map((reporter) => reporter(result)), `The form is not sent: ${reason}`].join(
          '\n',
        ),
      expectsChange: false,
    })
    if (!submits) {
      if (press) native.focus(press.element)
      const nextStep =
        press?.action === 'click' ? `press ${describeElement(press.element, live)}` : 'send it'
      return notSent(
        `on this page a person checks it first. Tell them, or ${nextStep} if they agreed.`,
      )
    }
    if (!press) return notSent('it has no submit button.')
    // Starts before the press, and continues: a button may submit the form later.
    const activeWatch = (watch = watchSubmit(form))
    const controlName = describeElement(press.element, live)
    const pressedName = press.action === 'click' ? controlName : `Enter in ${controlName}`
    await pressSubmitControl(press, context)
    const { response } = activeWatch
    const answer = response && (await waitForAnswer(response, context))
    return { summary: () => reportSubmission(activeWatch, pressedName, answer) }
  }).finally(() => watch?.stop())
}

async function fillFields(
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
      problems.push(`${key}: ${messageOf(error)}`)
    }
  if (problems.length > 0) throw createNotSentError(problems)
  return reporters
}

function digestOtherFields({ form, fillings }: FormTask, { options }: LivePage): string {
  return digestFormFields(
    form,
    fillings.flatMap(({ elements }) => elements),
    options,
  )
}

const CHANGED_SUBMIT = 'The form is now sent in a way that nobody approved.'
const CHANGED_FIELDS = 'Other fields of the form changed as it was filled in.'

function createStaleError(reason: string): PageError {
  return new PageError('stale-ref', `${reason} Nothing was sent. Make the call again.`)
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
      ? [`${getParameterName(field, scrubber(live)) || describeElement(field, live)}: ${message}`]
      : []
  })
  if (problems.length > 0) throw createNotSentError(problems)
}

function createNotSentError(problems: readonly string[]): PageError {
  return new PageError('refused-value', ['Nothing was sent:', ...problems].join('\n'))
}

/** Control that a person uses to submit a form: the first button or, without buttons, Enter in the only field. */
export interface SubmitControl {
  readonly element: HTMLElement
  readonly action: 'click' | 'enter'
}

export function findSubmitControl(form: HTMLFormElement): SubmitControl | null {
  const elements = elementsOf(form).filter(isElement)
  const buttons = elements.filter((candidate) => submitterOf(candidate) === candidate)
  const button = buttons.find((candidate) => !native.matches(candidate, ':disabled')) ?? buttons[0]
  if (button) return { element: button, action: 'click' }
  const [field, ...others] = elements.filter(blocksSubmission)
  return field && others.length === 0 ? { element: field, action: 'enter' } : null
}

async function pressSubmitControl(
  { element: control, action }: SubmitControl,
  context: ActionContext,
): Promise<void> {
  if (action === 'click') {
    await clickElement(control, context)
    return
  }
  checkKey(control, context, 'activate')
  native.focus(control)
  sendKeyPress(control, keyOf('Enter'), context)
}

/** Reports the submission once the page has settled. A script of the page may send the form without an event. */
function reportSubmission(
  { isSubmitted, response }: SubmitWatch,
  pressedName: string,
  answer: string | null,
): string {
  if (!isSubmitted)
    return `Filled in the form and pressed ${pressedName}. The page sent no form by itself; its own script may have sent it. Look at what changed before you send it again.`
  const sentNote = 'Filled in and sent the form.'
  if (answer === null) return response ? `${sentNote} The page answers later.` : sentNote
  const answerText = shorten(escapeMarks(answer), RESPONSE_LIMIT)
  return `${sentNote} The page answers (untrusted page content):\n${framed(answerText)}`
}

/** How long a page may take to answer. Milliseconds. */
const ANSWER_MS = 30_000
/** Maximum characters of the page's reason for a refusal. */
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
      // A scripted event submits nothing. The browser's own event arrives only after a person's own click; otherwise it
      // is replaced.
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
async function waitForAnswer(
  response: Promise<unknown>,
  { live, signal }: { readonly live: LivePage; readonly signal: AbortSignal | undefined },
): Promise<string> {
  const late = sleep(ANSWER_MS, signal).then((): never => {
    throw new PageError('timeout', 'The form was sent, and the page did not answer in time.')
  })
  const throwRefusal = (thrown: unknown): never => {
    // Scrub before shortening: a secret that is cut off would no longer be recognized.
    const message = shorten(scrub(cleanText(describeThrown(thrown)), live), REFUSAL_LIMIT)
    throw new PageError('refused-value', `The page refused what was sent: ${quote(message)}`)
  }
  const text = toText(await Promise.race([response.catch(throwRefusal), late]))
  return scrub(withoutSigns(cleanUntrustedText(text)), live)
}

/** Never throws: the form was sent, even if its answer has no text. */
function toText(answer: unknown): string {
  if (typeof answer === 'string') return answer
  try {
    return JSON.stringify(answer) ?? 'Nothing.'
  } catch {
    return 'Something that JSON cannot hold.'
  }
}

/** `choice`: a single label; `choices`: any number of labels; `box`: true or false. */
type FieldKind = 'text' | 'number' | 'box' | 'choice' | 'choices'

/** Parameter of a form's tool: a field, or radio buttons or checkboxes with the same name. */
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

/** Returns null for a field that calls can't fill. */
function getKind(elements: readonly HTMLElement[]): FieldKind | null {
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

interface FieldTexts {
  readonly label: string
  readonly labels: readonly string[]
  /** The field's content is kept from the model. */
  readonly masked: boolean
  /** Removes secrets. */
  readonly clean: (text: string) => string
}

/**
 * Schema of a parameter, from the field's own constraints. Leaves out current values, which belong to the person. Null
 * if calls can't fill the field.
 */
function fieldSchema(
  elements: readonly HTMLElement[],
  texts: FieldTexts,
): Pick<FormField, 'kind' | 'schema'> | null {
  const kind = getKind(elements)
  const [element] = elements
  return kind && element ? { kind, schema: kindSchema(kind, element, texts) } : null
}

function kindSchema(kind: FieldKind, element: HTMLElement, texts: FieldTexts): JsonObject {
  const { label, masked } = texts
  switch (kind) {
    case 'box':
      return { type: 'boolean', ...withDescription(label) }
    case 'number':
      return {
        ...(masked ? { type: 'number' } : numberSchema(element as HTMLInputElement)),
        ...withDescription(label),
      }
    case 'text': {
      const rule = masked ? {} : textRules(element as HTMLInputElement, texts.clean)
      return {
        type: 'string',
        ...rule,
        ...withDescription(label, isTag(element, 'input') ? FORMATS[element.type] : ''),
      }
    }
    case 'choice':
      return { type: 'string', ...choiceRule(element, texts), ...withDescription(label) }
    case 'choices':
      return {
        type: 'array',
        items: { type: 'string', ...choiceRule(element, texts) },
        ...withDescription(label),
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

function withDescription(label: string, format = ''): JsonObject {
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
  const unescaped = (pattern ?? '').replace(/\\/g, '')
  const isSecret = [pattern ?? '', unescaped].some((text) => clean(text) !== text)
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

/**
 * Lists the choices if there are at most 100. A longer list costs more than it helps, and labels work without a list.
 */
function choiceRule(element: HTMLElement, { labels, masked, clean }: FieldTexts): JsonObject {
  const allLabels = isTag(element, 'select') ? getOptionLabels(element).map(clean) : labels
  const choices = [...new Set(allLabels)]
  return masked || choices.length === 0 || choices.length > MAX_OPTIONS ? {} : { enum: choices }
}

function getOptionLabels(select: HTMLSelectElement): readonly string[] {
  return [...select.options]
    .filter(({ disabled, value }) => !disabled && !(select.required && value === ''))
    .map(({ label }) => shorten(cleanText(label), OPTION_LABEL_LIMIT))
    .filter(Boolean)
}

// The attributes are those of WebMCP's declarative forms:
// https://github.com/webmachinelearning/webmcp/blob/main/declarative-api-explainer.md

/** A form as a tool. All texts come from the page. */
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
  const readAttribute = (element: Element, attribute: string, limit: number): string =>
    shorten(clean(cleanText(native.getAttribute(element, attribute) ?? '')), limit)
  const name = readAttribute(form, 'toolname', NAME_LIMIT)
  const description = readAttribute(form, 'tooldescription', DESCRIPTION_LIMIT)
  if (!name || !description) return null
  const fields: FormField[] = []
  for (const [key, elements] of groupFields(form, live, clean)) {
    const [element] = elements
    if (!element || fields.length >= MAX_FIELDS) continue
    const masked = elements.some((candidate) => isMasked(candidate, live.options))
    const label = clean(getLabel(elements, live, readAttribute))
    const labels = elements.map((item) => clean(nameText(item, live)) || 'on')
    const definition = fieldSchema(elements, { label, labels, masked, clean })
    if (definition)
      fields.push({ key, elements, labels, ...definition, ...getRequired(elements, masked) })
  }
  return {
    name,
    description,
    submits: native.hasAttribute(form, 'toolautosubmit'),
    fields,
    inputSchema: createSchema(fields),
  }
}

function createSchema(fields: readonly FormField[]): JsonSchema {
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
function getRequired(elements: readonly Element[], masked: boolean): { isRequired: boolean } {
  return {
    isRequired: !masked && elements.some((candidate) => native.hasAttribute(candidate, 'required')),
  }
}

/** Parameter name of a field: its `name`, reduced to word characters, dots and hyphens, so it can't carry page text. */
function getParameterName(field: Element, clean: (text: string) => string): string {
  const name = clean(native.getAttribute(field, 'name') ?? '')
  return name.replace(/[^\w.-]/g, '_').slice(0, NAME_LIMIT)
}

/**
 * Fields that a call may fill, by the name they are sent under. Radio buttons or checkboxes with the same name form a
 * group.
 */
function groupFields(
  form: HTMLFormElement,
  live: LivePage,
  clean: (text: string) => string,
): Map<string, HTMLElement[]> {
  const groups = new Map<string, HTMLElement[]>()
  for (const element of elementsOf(form)) {
    const key = getParameterName(element, clean)
    if (!key || UNSAFE.test(key) || !isElement(element) || !getKind([element])) continue
    if (!isAllowed(element, live.options) || !isShown(element)) continue
    if (isReadOnly(element) || native.matches(element, ':disabled')) continue
    const group = groups.get(key)
    if (!group) groups.set(key, [element])
    // Other fields with the same name can't be told apart.
    else if (
      isBox(element) &&
      group.every(
        (candidate) => isBox(candidate) && getInputType(candidate) === getInputType(element),
      )
    )
      group.push(element)
  }
  return groups
}

/** Whether a person sees the field, or the label in its place. A field that nobody sees is a trap for bots. */
function isShown(element: Element): boolean {
  if (closest(element, '[inert],[aria-hidden=true]')) return false
  return [element, ...labelsOf(element)].some(
    (candidate) =>
      isDisplayed(candidate, { visibilityProperty: true }) &&
      unseenBox(candidate) === null &&
      unseenReason(candidate) === null,
  )
}

function isBox(element: Element): boolean {
  return isTag(element, 'input') && /^(radio|checkbox)$/.test(element.type)
}

function getInputType(element: Element): string {
  return isTag(element, 'input') ? element.type : ''
}

function nameText(element: Element, { options }: LivePage): string {
  return shorten(
    cleanText(getAccessibleName(element, getShownRole(element) || 'textbox', options).text),
    LABEL_LIMIT,
  )
}

/** The page's description of a field. For a group of boxes, the description of the group. */
function getLabel(
  elements: readonly HTMLElement[],
  live: LivePage,
  readAttribute: (element: Element, attribute: string, limit: number) => string,
): string {
  const [element] = elements
  if (!element) return ''
  const isGroup = isBox(element) && (elements.length > 1 || getInputType(element) === 'radio')
  const groupElement = isGroup ? closest(element, 'fieldset,[role=radiogroup],[role=group]') : null
  const labelledElement = groupElement ?? element
  const parts = [
    readAttribute(labelledElement, 'toolparamtitle', LABEL_LIMIT),
    readAttribute(labelledElement, 'toolparamdescription', LABEL_LIMIT),
  ]
  const ownText = parts.filter(Boolean).join(': ')
  return (
    ownText ||
    (isGroup ? (groupElement ? nameText(groupElement, live) : '') : nameText(element, live))
  )
}
