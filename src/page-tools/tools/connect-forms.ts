import type { Tool } from '../../client/tools/tool.ts'
import type { JsonSchema, JsonValue } from '../../protocol/json.ts'
import {
  type FormDefinition,
  type FormField,
  readForm,
  type Filling,
  findSubmitControl,
  type SubmitControl,
  submitForm,
} from '../act/submit-form.ts'
import { isDisplayed, isElement, isTag } from '../dom.ts'
import * as native from '../native.ts'
import { livePage } from '../outline/live-page.ts'
import { isAllowed } from '../outline/region.ts'
import { createPage, type Page, type PageOptions, PageError } from '../page.ts'
import * as nativeDocument from '../native-document.ts'
import { setField, applyChecked } from '../act/fill-form.ts'
import { ensureRef } from '../refs.ts'
// Not from acting-tool.ts: so both parts load one file.
import { actingTool, readUnloadNote } from './act-part.ts'
import { readApprovalRecord, type ElementUse, type Written } from './approval-record.ts'
import {
  forgetLeftForm,
  type FormToolsLink,
  noteFormAtWork,
  registered,
  type ToolRegistrar,
} from './use-form-tools.ts'

export { readUnloadNote }

interface Offer {
  readonly definition: FormDefinition
  readonly name: string
  /** Null: the agent rejected the tool. It is offered again once the form has changed. */
  readonly undo: (() => void) | null
}

const FORMS = 'form[toolname][tooldescription]'
const MAX_FORMS = 50

interface FormsTask {
  readonly prefix: string
  readonly trusted: boolean
  readonly limits: PageOptions
  /** Stand-ins for forms of the page before, by name, with functions that unregister them. */
  readonly left: Map<string, () => void>
}

/** Registers the forms of the page as tools, as they come and go. */
export function connectForms(
  agent: ToolRegistrar,
  { prefix, trusted, limits, left }: FormsTask,
): FormToolsLink {
  const page = createPage(limits)
  const offers = new Map<HTMLFormElement, Offer>()
  const stopped = new AbortController()
  const readForms = async (): Promise<void> => {
    // Most pages have no such forms: asking the browser and reading fields costs more than this check.
    if (offers.size === 0 && formsOf(page).length === 0) return
    const taken = await listedByBrowser()
    if (stopped.signal.aborted) return
    const there = formsOf(page).filter(
      (form) => !taken.has(native.getAttribute(form, 'toolname') ?? ''),
    )
    for (const [form, { undo }] of offers)
      if (!there.includes(form)) {
        undo?.()
        offers.delete(form)
      }
    for (const form of there) offer(form)
  }
  const settle = warningOnce(readForms)
  const offer = (form: HTMLFormElement): void => {
    const definition = readForm(form, livePage(page))
    const before = offers.get(form)
    if (before && definition && isSameForm(before.definition, definition)) return
    before?.undo?.()
    offers.delete(form)
    if (!definition) return
    const names = new Set([...offers.values()].map(({ name }) => name))
    const isOfName = before?.definition.name === definition.name
    const name = before && isOfName ? before.name : freeName(prefix, definition.name, names)
    left.get(name)?.()
    if (left.delete(name)) forgetLeftForm(name)
    const parts = { page, name, form, definition, trusted, changed: () => void settle() }
    offers.set(form, { definition, name, undo: register(agent, parts) })
  }
  watchForms(() => offers.keys(), settle, stopped.signal)
  return {
    ready: settle(),
    get tools() {
      return [...offers.values()].flatMap(({ name, undo }) => (undo ? [name] : []))
    },
    dispose() {
      stopped.abort()
      for (const { undo } of offers.values()) undo?.()
      offers.clear()
      page.release()
    },
  }
}

/** Returns a function that never rejects, and warns only once. */
function warningOnce(read: () => Promise<void>): () => Promise<void> {
  let hasFailed = false
  return async () => {
    try {
      await read()
    } catch (thrown) {
      // Each change of the page would repeat the warning.
      if (!hasFailed) console.warn('offstage: the forms of the page cannot be read.', thrown)
      hasFailed = true
    }
  }
}

/** Forms of the document itself, without shadow roots and frames. */
function formsOf({ options }: Page): readonly HTMLFormElement[] {
  try {
    const forms = [...native.querySelectorAll(document, FORMS)].flatMap((form) =>
      isTag(form, 'form') && isAllowed(form, options) ? form : [],
    )
    return forms.slice(0, MAX_FORMS)
  } catch (error) {
    // The part of the page that may be used is not there now.
    if (PageError.is(error)) return []
    throw error
  }
}

/** Registers the tool, without patterns if it must: one may take a validator too long. The browser checks them, too. */
function register(
  agent: ToolRegistrar,
  parts: Omit<FormToolParts, 'inputSchema'>,
): (() => void) | null {
  const { inputSchema, name } = parts.definition
  for (const schema of [inputSchema, withoutPatterns(inputSchema)]) {
    const undo = registered(agent, formTool({ ...parts, inputSchema: schema }))
    if (undo) return undo
  }
  console.warn(
    `offstage: the form ${name} is no tool: its name is taken, or its schema is not supported.`,
  )
  return null
}

function withoutPatterns(schema: JsonSchema): JsonSchema {
  const json = JSON.stringify(schema, (key, value: unknown) =>
    key === 'pattern' && typeof value === 'string' ? undefined : value,
  )
  return JSON.parse(json) as JsonSchema
}

function freeName(prefix: string, wanted: string, taken: ReadonlySet<string>): string {
  const clean = `${prefix}${wanted.replace(/[^\w-]+/g, '_')}`.slice(0, 60)
  if (!taken.has(clean)) return clean
  for (let number = 2; ; number++) if (!taken.has(`${clean}_${number}`)) return `${clean}_${number}`
}

/** The part of WebMCP that lists tools: https://webmachinelearning.github.io/webmcp/ */
interface Lists {
  getTools?(): Promise<readonly { readonly name: string; readonly window?: unknown }[]>
}

/** Names of the tools that the browser lists for this window. Forms among them are left to it. Never rejects. */
async function listedByBrowser(): Promise<ReadonlySet<string>> {
  const { modelContext } = document as { readonly modelContext?: Lists }
  try {
    const listed = (await modelContext?.getTools?.()) ?? []
    return new Set(
      listed.flatMap((tool) =>
        tool.window === undefined || tool.window === window ? tool.name : [],
      ),
    )
  } catch {
    return new Set()
  }
}

/** Changes of the page within this time are handled together. Milliseconds. */
const TOGETHER_MS = 400
/** Attributes that definitions of forms are made of, on any element. */
const OF_DEFINITIONS =
  'toolname,tooldescription,toolautosubmit,toolparamtitle,toolparamdescription,name,type,required,min,max,step,minlength,maxlength,pattern,multiple,disabled,readonly,form,for,aria-label,aria-labelledby,data-offstage-mask'
/**
 * Attributes that show and hide fields. Pages change them all the time, so they are watched only in and around forms.
 */
const OF_SIGHT = 'class,style,hidden,inert,open,aria-hidden'
const always: ReadonlySet<string> = new Set(OF_DEFINITIONS.split(','))

/**
 * Calls `changed` after the page has changed what its forms ask for. Misses a style sheet's rule that begins to apply
 * by itself, and changes outside of a form that hide or name its fields. A call finds those out.
 */
function watchForms(
  forms: () => Iterable<HTMLFormElement>,
  changed: () => Promise<void>,
  signal: AbortSignal,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const observer = new MutationObserver((records) => {
    if (timer === undefined && records.some((record) => concerns(record, forms())))
      timer = setTimeout(() => {
        timer = undefined
        void changed()
      }, TOGETHER_MS)
  })
  observer.observe(nativeDocument.documentElement(document), {
    childList: true,
    characterData: true,
    subtree: true,
    attributeFilter: `${OF_DEFINITIONS},${OF_SIGHT}`.split(','),
  })
  signal.addEventListener('abort', () => {
    observer.disconnect()
    clearTimeout(timer)
  })
}

function concerns(
  { type, target, attributeName }: MutationRecord,
  forms: Iterable<HTMLFormElement>,
): boolean {
  if (type === 'childList' || always.has(attributeName ?? '')) return true
  for (const form of forms)
    if (native.contains(form, target) || (isElement(target) && native.contains(target, form)))
      return true
  return false
}

type Input = Readonly<Record<string, JsonValue>>
type Filled = readonly (readonly [FormField, JsonValue])[]

/** How long a reading of the form is reused: one call asks for it several times. Milliseconds. */
const FRESH_MS = 50

interface FormToolParts {
  readonly page: Page
  /** Name of the tool, as the model knows it. */
  readonly name: string
  readonly form: HTMLFormElement
  /** Definition that the model gets, and that calls are checked against. */
  readonly definition: FormDefinition
  /** Schema of the definition, or the part of it that the agent takes. */
  readonly inputSchema: JsonSchema
  readonly trusted: boolean
  /** Called when the form differs from the definition that the model got. */
  changed(): void
}

/** Makes a tool of a form of the page. The tool fills fields and presses the button as a person would. */
function formTool(parts: FormToolParts): Tool {
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
  const uses = (input: Input): readonly ElementUse[] => {
    const filled = fieldsOf(input).flatMap(([field, value]) => usesOf(field, value))
    const press = submits ? findSubmitControl(form) : null
    return press ? [...filled, { target: ensureRef(press.element), action: press.action }] : filled
  }
  const ends = submits ? 'Sends the form.' : 'Fills the form in for a person to check and send.'
  const tool = actingTool(
    page,
    {
      name,
      title: definition.name,
      description: `${definition.description} ${ends}`,
      inputSchema,
      annotations: { untrustedContent: true },
      sequential: true,
      ...(!trusted && { remote: { source: native.ownerDocument(form).location.origin } }),
    },
    {
      uses: (input) => uses(input as Input),
      writes: (input) =>
        fieldsOf(input as Input).flatMap(([field, value]) => writesOf(field, value)),
      act: (input, { about, signal }) => {
        const fillings = fieldsOf(input as Input).map(fillingOf)
        const done = noteFormAtWork(name)
        const task = { form, fillings, submits, ...approvedPress(readApprovalRecord(about)) }
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

/** The press that the approval covers. Null: there was no approval. */
function approvedPress(
  asked: ReturnType<typeof readApprovalRecord>,
): { readonly isApproved: (press: SubmitControl) => boolean } | null {
  if (!asked) return null
  return {
    isApproved: ({ element, action }) =>
      asked.uses.some((use) => use.target === ensureRef(element) && use.action === action),
  }
}

/** Whether both forms look the same to a model. */
function isSameForm(one: FormDefinition, other: FormDefinition): boolean {
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
    // Checking another radio button unchecks this one.
    if (isWanted || field.kind === 'choices') told.push(await applyChecked(one, isWanted, context))
  }
  if (told.length === 0)
    throw new PageError('refused-value', `There is no such choice, but ${labels.join(', ')}.`)
  return (seen) => told.map((telling) => telling(seen)).join('\n')
}

/** Whether the field is a group of radio buttons or boxes of one name. */
function isGroup({ kind, elements }: FormField): boolean {
  const [element] = elements
  return (
    element !== undefined &&
    native.localName(element) === 'input' &&
    (kind === 'choice' || kind === 'choices')
  )
}

function usesOf(field: FormField, value: JsonValue): readonly ElementUse[] {
  const { kind, elements, labels } = field
  const wanted = textsOf(value)
  if (isGroup(field))
    return elements
      .filter((_one, index) => kind === 'choices' || wanted.includes(labels[index] ?? ''))
      .map((one) => ({ target: ensureRef(one), action: 'check' }))
  const [element] = elements
  if (!element) return []
  const target = ensureRef(element)
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
    target: ensureRef(one),
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
