import type { Tool } from '../../client/tool.ts'
import type { JsonSchema, JsonValue } from '../../protocol/json.ts'
import { type FormDefinition, readForm } from '../act/form-definition.ts'
import type { FormField } from '../act/form-field.ts'
import { setField } from '../act/fill-form.ts'
import { check } from '../act/set-checked.ts'
import { type Filling, pressThatSends, type SendingPress, submitForm } from '../act/submit-form.ts'
import { isDisplayed } from '../dom.ts'
import * as native from '../native.ts'
import { livePage } from '../outline/live-page.ts'
import { isAllowed } from '../outline/region.ts'
import type { Page } from '../options.ts'
import { PageError } from '../page-error.ts'
import { refOf } from '../refs.ts'
import { actingTool } from './acting-tool.ts'
import { readAsked, type Use } from './asked.ts'
import { noteFormAtWork } from './left-forms.ts'
import type { Written } from './masked-inputs.ts'

type Input = Readonly<Record<string, JsonValue>>
type Filled = readonly (readonly [FormField, JsonValue])[]

/** What is asked of a call at one time reads the form once. Milliseconds. */
const FRESH_MS = 50

export interface FormToolParts {
  readonly page: Page
  /** As the model knows it. */
  readonly name: string
  readonly form: HTMLFormElement
  /** What the model is told, and what a call is checked against. */
  readonly definition: FormDefinition
  /** That of the definition, or what of it an agent takes. */
  readonly inputSchema: JsonSchema
  readonly trusted: boolean
  /** The form is another one than the model was told of. */
  changed(): void
}

/** A form of the page as a tool: its fields are filled, and its button is pressed, as a person does. */
export function formTool(parts: FormToolParts): Tool {
  const { page, name, form, definition, inputSchema, trusted } = parts
  const live = livePage(page)
  const { submits } = definition
  let last: { readonly input: Input; readonly at: number; readonly filled: Filled } | null = null
  const fieldsOf = (input: Input): Filled => {
    const isFresh = last?.input === input && performance.now() - last.at < FRESH_MS
    if (!last || !isFresh) last = { input, at: performance.now(), filled: readFields(input) }
    return last.filled
  }
  const readFields = (input: Input): Filled => {
    const now = native.isConnected(form) ? readForm(form, live) : null
    if (!now || !isSameForm(now, definition)) {
      parts.changed()
      throw new PageError(
        'stale-ref',
        'The form is gone, or asks for something else now. Nothing was done.',
      )
    }
    return now.fields.flatMap((field) => {
      const value = input[field.key]
      return value === undefined || value === null ? [] : [[field, value] as const]
    })
  }
  const uses = (input: Input): readonly Use[] => {
    const filled = fieldsOf(input).flatMap(([field, value]) => usesOf(field, value))
    const press = submits ? pressThatSends(form) : null
    return press ? [...filled, { target: refOf(press.on), action: press.action }] : filled
  }
  const ends = submits ? 'Sends the form.' : 'Fills the form in for a person to check and send.'
  const tool = actingTool(
    {
      page,
      name,
      title: definition.name,
      description: `${definition.description} ${ends}`,
      inputSchema,
      ...(!trusted && { remote: { source: native.ownerDocument(form).location.origin } }),
    },
    {
      uses: (input) => uses(input as Input),
      writes: (input) =>
        fieldsOf(input as Input).flatMap(([field, value]) => writesOf(field, value)),
      act: (input, { about, signal }) => {
        const fillings = fieldsOf(input as Input).map(fillingOf)
        const done = noteFormAtWork(name)
        const task = { form, fillings, submits, ...approvedPress(readAsked(about)) }
        return submitForm(task, { page, signal }).finally(done)
      },
    },
  )
  return {
    ...tool,
    available: () => native.isConnected(form) && isDisplayed(form) && isAllowed(form, live.options),
  }
}

function fillingOf([field, value]: Filled[number]): Filling {
  const { key, elements } = field
  return { key, elements, fill: (context) => fill(field, value, context) }
}

/** Which press a person was asked about, if anybody was. */
function approvedPress(
  asked: ReturnType<typeof readAsked>,
): { readonly isApproved: (press: SendingPress) => boolean } | null {
  if (!asked) return null
  return {
    isApproved: ({ on, action }) =>
      asked.uses.some((use) => use.target === refOf(on) && use.action === action),
  }
}

/** Whether a model that was told of one form knows the other. */
export function isSameForm(one: FormDefinition, other: FormDefinition): boolean {
  const said = ({ name, description, submits, inputSchema }: FormDefinition): string =>
    JSON.stringify([name, description, submits, inputSchema])
  return said(one) === said(other)
}

async function fill(
  field: FormField,
  value: JsonValue,
  context: Parameters<Filling['fill']>[0],
): ReturnType<Filling['fill']> {
  const { elements, labels } = field
  const [element] = elements
  if (!element) throw new PageError('stale-ref', 'The field is gone.')
  if (!isGroup(field)) return setField(element, valueFor(value), context)
  const wanted = textsOf(value)
  const told: Awaited<ReturnType<Filling['fill']>>[] = []
  for (const [index, one] of elements.entries()) {
    const isWanted = wanted.includes(labels[index] ?? '')
    // A radio button is unchecked by another one.
    if (isWanted || field.kind === 'choices') told.push(await check(one, isWanted, context))
  }
  if (told.length === 0)
    throw new PageError('refused-value', `There is no such choice, but ${labels.join(', ')}.`)
  return (seen) => told.map((telling) => telling(seen)).join('\n')
}

/** Radio buttons or boxes of one name. */
function isGroup({ kind, elements }: FormField): boolean {
  const [element] = elements
  return (
    element !== undefined &&
    native.localName(element) === 'input' &&
    (kind === 'choice' || kind === 'choices')
  )
}

function usesOf(field: FormField, value: JsonValue): readonly Use[] {
  const { kind, elements, labels } = field
  const wanted = textsOf(value)
  if (isGroup(field))
    return elements
      .filter((_one, index) => kind === 'choices' || wanted.includes(labels[index] ?? ''))
      .map((one) => ({ target: refOf(one), action: 'check' }))
  const [element] = elements
  if (!element) return []
  const target = refOf(element)
  switch (kind) {
    case 'box':
      return [{ target, action: 'check' }]
    case 'choice':
    case 'choices':
      return [{ target, action: 'select', labels: wanted }]
    case 'text':
    case 'number':
      return [{ target, action: 'type', typed: true, breaks: /[\r\n]/.test(String(value)) }]
    default:
      return kind satisfies never
  }
}

function writesOf({ key, elements, kind }: FormField, value: JsonValue): readonly Written[] {
  const pointer = `/${key}`
  return elements.map((one) => ({
    target: refOf(one),
    pointer,
    ...((kind === 'text' || kind === 'number') && { text: String(value) }),
  }))
}

function textsOf(value: JsonValue): readonly string[] {
  return [value].flat().map(String)
}

function valueFor(value: JsonValue): Parameters<typeof setField>[1] {
  return typeof value === 'boolean' || typeof value === 'number'
    ? value
    : Array.isArray(value)
      ? value.map(String)
      : String(value)
}
