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
import { applyChecked, type FieldValue, setField } from '../act/fill-form.ts'
import { ensureRef } from '../refs.ts'
// Not imported from acting-tool.ts, so that form tools and page tools load the same file.
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
  /** Null if the agent rejected the tool. A rejected tool is offered again once the form has changed. */
  readonly undo: (() => void) | null
}

const FORMS = 'form[toolname][tooldescription]'
const MAX_FORMS = 50

interface FormsTask {
  readonly prefix: string
  readonly trusted: boolean
  readonly limits: PageOptions
  /** Functions that unregister the stand-ins for forms of the previous page, by tool name. */
  readonly left: Map<string, () => void>
}

/** Registers the page's forms as tools, also forms added later, and unregisters removed forms. */
export function connectForms(
  agent: ToolRegistrar,
  { prefix, trusted, limits, left: standIns }: FormsTask,
): FormToolsLink {
  const page = createPage(limits)
  const offers = new Map<HTMLFormElement, Offer>()
  const controller = new AbortController()
  const readForms = async (): Promise<void> => {
    // Most pages have no such forms. This check is cheaper than asking the browser and reading fields.
    if (offers.size === 0 && findForms(page).length === 0) return
    const listedNames = await listedByBrowser()
    if (controller.signal.aborted) return
    const forms = findForms(page).filter(
      (form) => !listedNames.has(native.getAttribute(form, 'toolname') ?? ''),
    )
    for (const [form, { undo }] of offers)
      if (!forms.includes(form)) {
        undo?.()
        offers.delete(form)
      }
    for (const form of forms) registerForm(form)
  }
  const refresh = warningOnce(readForms)
  const registerForm = (form: HTMLFormElement): void => {
    const definition = readForm(form, livePage(page))
    const existing = offers.get(form)
    if (existing && definition && isSameForm(existing.definition, definition)) return
    existing?.undo?.()
    offers.delete(form)
    if (!definition) return
    const names = new Set([...offers.values()].map(({ name }) => name))
    const hasSameName = existing?.definition.name === definition.name
    const name =
      existing && hasSameName ? existing.name : findFreeName(prefix, definition.name, names)
    standIns.get(name)?.()
    if (standIns.delete(name)) forgetLeftForm(name)
    const parts = { page, name, form, definition, trusted, changed: () => void refresh() }
    offers.set(form, { definition, name, undo: register(agent, parts) })
  }
  watchForms(() => offers.keys(), refresh, controller.signal)
  return {
    ready: refresh(),
    get tools() {
      return [...offers.values()].flatMap(({ name, undo }) => (undo ? [name] : []))
    },
    dispose() {
      controller.abort()
      for (const { undo } of offers.values()) undo?.()
      offers.clear()
      page.release()
    },
  }
}

/** Returns a function that never rejects, and warns only once. */
function warningOnce(readForms: () => Promise<void>): () => Promise<void> {
  let hasFailed = false
  return async () => {
    try {
      await readForms()
    } catch (thrown) {
      // Each change of the page would repeat the warning.
      if (!hasFailed) console.warn('offstage: the forms of the page cannot be read.', thrown)
      hasFailed = true
    }
  }
}

/** Forms of the document itself, without shadow roots and frames. */
function findForms({ options }: Page): readonly HTMLFormElement[] {
  try {
    const forms = [...native.querySelectorAll(document, FORMS)].flatMap((form) =>
      isTag(form, 'form') && isAllowed(form, options) ? form : [],
    )
    return forms.slice(0, MAX_FORMS)
  } catch (error) {
    // The page's `root` doesn't exist now.
    if (PageError.is(error)) return []
    throw error
  }
}

/**
 * Registers the tool, if necessary without patterns: a pattern may take the validator too long. The browser checks
 * patterns, too.
 */
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

function findFreeName(prefix: string, toolName: string, usedNames: ReadonlySet<string>): string {
  const clean = `${prefix}${toolName.replace(/[^\w-]+/g, '_')}`.slice(0, 60)
  if (!usedNames.has(clean)) return clean
  for (let number = 2; ; number++)
    if (!usedNames.has(`${clean}_${number}`)) return `${clean}_${number}`
}

/** The part of WebMCP that lists tools: https://webmachinelearning.github.io/webmcp/ */
interface Lists {
  getTools?(): Promise<readonly { readonly name: string; readonly window?: unknown }[]>
}

/**
 * Names of the tools that the browser lists for this window. Forms with these names aren't registered. Never rejects.
 */
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
const DEBOUNCE_MS = 400
/** Attributes of any element that can change the definition of a form. */
const DEFINITION_ATTRIBUTES =
  'toolname,tooldescription,toolautosubmit,toolparamtitle,toolparamdescription,name,type,required,min,max,step,minlength,maxlength,pattern,multiple,disabled,readonly,form,for,aria-label,aria-labelledby,data-offstage-mask'
/**
 * Attributes that show and hide fields. Pages change them all the time, so they are watched only in and around forms.
 */
const VISIBILITY_ATTRIBUTES = 'class,style,hidden,inert,open,aria-hidden'
const alwaysRelevant: ReadonlySet<string> = new Set(DEFINITION_ATTRIBUTES.split(','))

/**
 * Calls `changed` after the page has changed what its forms ask for. Misses style rules that begin to apply without a
 * DOM change, and changes outside a form that hide or name its fields. A call detects these.
 */
function watchForms(
  forms: () => Iterable<HTMLFormElement>,
  changed: () => Promise<void>,
  signal: AbortSignal,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const observer = new MutationObserver((records) => {
    if (timer === undefined && records.some((record) => affectsForms(record, forms())))
      timer = setTimeout(() => {
        timer = undefined
        void changed()
      }, DEBOUNCE_MS)
  })
  observer.observe(nativeDocument.documentElement(document), {
    childList: true,
    characterData: true,
    subtree: true,
    attributeFilter: `${DEFINITION_ATTRIBUTES},${VISIBILITY_ATTRIBUTES}`.split(','),
  })
  signal.addEventListener('abort', () => {
    observer.disconnect()
    clearTimeout(timer)
  })
}

function affectsForms(
  { type, target, attributeName }: MutationRecord,
  forms: Iterable<HTMLFormElement>,
): boolean {
  if (type === 'childList' || alwaysRelevant.has(attributeName ?? '')) return true
  for (const form of forms)
    if (native.contains(form, target) || (isElement(target) && native.contains(target, form)))
      return true
  return false
}

type Input = Readonly<Record<string, JsonValue>>
type FilledFields = readonly (readonly [FormField, JsonValue])[]

/** How long a definition is reused, since one call reads it several times. Milliseconds. */
const FRESH_MS = 50

interface FormToolParts {
  readonly page: Page
  /** Name of the tool, as the model knows it. */
  readonly name: string
  readonly form: HTMLFormElement
  /** Definition that the model gets, and that calls are checked against. */
  readonly definition: FormDefinition
  /** Schema of the definition, without patterns if the agent rejected them. */
  readonly inputSchema: JsonSchema
  readonly trusted: boolean
  /** Called when the form no longer matches the definition that the model got. */
  changed(): void
}

/** Makes a tool of a form. The tool fills in the fields and presses the button as a person would. */
function formTool(parts: FormToolParts): Tool {
  const { page, name, form, definition, inputSchema, trusted } = parts
  const live = livePage(page)
  const { submits } = definition
  let cached: { readonly input: Input; readonly at: number; readonly filled: FilledFields } | null =
    null
  const getFields = (input: Input): FilledFields => {
    const isFresh = cached?.input === input && performance.now() - cached.at < FRESH_MS
    if (!cached || !isFresh) cached = { input, at: performance.now(), filled: readFields(input) }
    return cached.filled
  }
  const readFields = (input: Input): FilledFields => {
    const current = native.isConnected(form) ? readForm(form, live) : null
    if (!current || !isSameForm(current, definition)) {
      parts.changed()
      throw new PageError(
        'stale-ref',
        'The form is gone, or asks for something else now. Nothing was done.',
      )
    }
    return current.fields.flatMap((field) => {
      const value = input[field.key]
      return value === undefined || value === null ? [] : [[field, value] as const]
    })
  }
  const getUses = (input: Input): readonly ElementUse[] => {
    const filled = getFields(input).flatMap(([field, value]) => createUses(field, value))
    const press = submits ? findSubmitControl(form) : null
    return press ? [...filled, { target: ensureRef(press.element), action: press.action }] : filled
  }
  const endNote = submits ? 'Sends the form.' : 'Fills the form in for a person to check and send.'
  const tool = actingTool(
    page,
    {
      name,
      title: definition.name,
      description: `${definition.description} ${endNote}`,
      inputSchema,
      annotations: { untrustedContent: true },
      sequential: true,
      ...(!trusted && { remote: { source: native.ownerDocument(form).location.origin } }),
    },
    {
      uses: (input) => getUses(input as Input),
      writes: (input) =>
        getFields(input as Input).flatMap(([field, value]) => createWrites(field, value)),
      act: (input, { about, signal }) => {
        const fillings = getFields(input as Input).map(createFilling)
        const endWork = noteFormAtWork(name)
        const task = { form, fillings, submits, ...createApprovalCheck(readApprovalRecord(about)) }
        return submitForm(task, { page, signal }).finally(endWork)
      },
    },
  )
  return {
    ...tool,
    available: () => native.isConnected(form) && isDisplayed(form) && isAllowed(form, live.options),
  }
}

function createFilling([field, value]: FilledFields[number]): Filling {
  const { key, elements } = field
  return { key, elements, fill: (context) => fill(field, value, context) }
}

/** Checks whether the approval covers a press. Null if there was no approval. */
function createApprovalCheck(
  record: ReturnType<typeof readApprovalRecord>,
): { readonly isApproved: (press: SubmitControl) => boolean } | null {
  if (!record) return null
  return {
    isApproved: ({ element, action }) =>
      record.uses.some((use) => use.target === ensureRef(element) && use.action === action),
  }
}

/** Whether both forms look the same to a model. */
function isSameForm(first: FormDefinition, second: FormDefinition): boolean {
  const serialize = ({ name, description, submits, inputSchema }: FormDefinition): string =>
    JSON.stringify([name, description, submits, inputSchema])
  return serialize(first) === serialize(second)
}

async function fill(
  field: FormField,
  value: JsonValue,
  context: Parameters<Filling['fill']>[0],
): ReturnType<Filling['fill']> {
  const { elements, labels } = field
  const [element] = elements
  if (!element) throw new PageError('stale-ref', 'The field is gone.')
  // The schema allows no other types.
  if (!isGroup(field)) return setField(element, value as FieldValue['value'], context)
  const chosenLabels = toTexts(value)
  const reporters: Awaited<ReturnType<Filling['fill']>>[] = []
  for (const [index, control] of elements.entries()) {
    const isWanted = chosenLabels.includes(labels[index] ?? '')
    // Checking another radio button unchecks this one.
    if (isWanted || field.kind === 'choices')
      reporters.push(await applyChecked(control, isWanted, context))
  }
  if (reporters.length === 0)
    throw new PageError('refused-value', `There is no such choice, but ${labels.join(', ')}.`)
  return (result) => reporters.map((reporter) => reporter(result)).join('\n')
}

/** Whether the field is a group of radio buttons or checkboxes with the same name. */
function isGroup({ kind, elements }: FormField): boolean {
  const [element] = elements
  return (
    element !== undefined &&
    native.localName(element) === 'input' &&
    (kind === 'choice' || kind === 'choices')
  )
}

function createUses(field: FormField, value: JsonValue): readonly ElementUse[] {
  const { kind, elements, labels } = field
  const chosenLabels = toTexts(value)
  if (isGroup(field))
    return elements
      .filter((_element, index) => kind === 'choices' || chosenLabels.includes(labels[index] ?? ''))
      .map((item) => ({ target: ensureRef(item), action: 'check' }))
  const [element] = elements
  if (!element) return []
  const target = ensureRef(element)
  switch (kind) {
    case 'box':
      return [{ target, action: 'check' }]
    case 'choice':
    case 'choices':
      return [{ target, action: 'select', labels: chosenLabels }]
    case 'text':
    case 'number':
      return [{ target, action: 'type', typed: true, breaks: /[\r\n]/.test(String(value)) }]
    default:
      return kind satisfies never
  }
}

function createWrites({ key, elements, kind }: FormField, value: JsonValue): readonly Written[] {
  const pointer = `/${key}`
  return elements.map((item) => ({
    target: ensureRef(item),
    pointer,
    ...((kind === 'text' || kind === 'number') && { text: String(value) }),
  }))
}

function toTexts(value: JsonValue): readonly string[] {
  return [value].flat().map(String)
}
