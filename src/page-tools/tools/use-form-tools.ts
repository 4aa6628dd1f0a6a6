import type { Tool } from '../../client/tool.ts'
import { isToolPrefix, TOOL_PREFIX_RULE } from '../../lib/tool-prefix.ts'
import type { JsonSchema } from '../../protocol/json.ts'
import { type FormDefinition, readForm } from '../act/form-definition.ts'
import { isTag } from '../dom.ts'
import * as native from '../native.ts'
import { createPage, livePage } from '../outline/live-page.ts'
import { isAllowed } from '../outline/region.ts'
import type { Page, PageOptions } from '../options.ts'
import { PageError } from '../page-error.ts'
import { forgetLeftForm, leftForms, leftFormTool } from './left-forms.ts'
import { listedByBrowser } from './listed-by-browser.ts'
import { formTool, type FormToolParts, isSameForm } from './form-tool.ts'
import { watchForms } from './watch-forms.ts'

/** What the tools of forms may see and do. */
export interface FormToolsOptions extends PageOptions {
  /** What the names of the forms' tools begin with for the model; never empty: 1 to 31 letters, digits, `_` or `-`. Default `form_`. */
  readonly prefix?: string
  /**
   * True: all that the page's markup says of its forms is your own. Else their tools are a stranger's: a person is asked
   * about each call, and the conversation is tainted while they are offered. Default false.
   */
  readonly trusted?: boolean
}

/** An agent, as far as it takes tools. */
export interface TakesTools {
  registerTool(tool: Tool): () => void
}

/** The forms of a page that are tools of an agent. */
export interface FormToolsLink {
  /** Resolves when those that the page has now are registered. Never rejects. */
  readonly ready: Promise<void>
  /** As the model knows them. */
  readonly tools: readonly string[]
  /** Takes them all from the agent, and ends. */
  dispose(): void
}

interface Offer {
  readonly definition: FormDefinition
  readonly name: string
  /** Null: the agent doesn't take it; it isn't asked again before the form is another one. */
  readonly undo: (() => void) | null
}

const FORMS = 'form[toolname][tooldescription]'
const MAX_FORMS = 50

/**
 * Gives an agent the forms of the page that declare themselves as tools (`toolname`, `tooldescription`), as they come and
 * go, until `dispose()`. Those that the browser itself lists as WebMCP tools are left to `useWebMcp`. Throws
 * `invalid-input` for a prefix that is none.
 */
export function useFormTools(agent: TakesTools, options: FormToolsOptions = {}): FormToolsLink {
  const { prefix = 'form_', trusted = false, ...rest } = options
  if (!isToolPrefix(prefix)) throw new PageError('invalid-input', `prefix ${TOOL_PREFIX_RULE}`)
  const page = createPage(rest)
  const offers = new Map<HTMLFormElement, Offer>()
  const left = offerLeft(agent)
  const stopped = new AbortController()
  const readForms = async (): Promise<void> => {
    // Most pages have none: asking the browser and reading fields costs more than this.
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
      for (const undo of [...left.values(), ...[...offers.values()].map((one) => one.undo)])
        undo?.()
      offers.clear()
      page.release()
    },
  }
}

/** The same, but never rejects. */
function warningOnce(read: () => Promise<void>): () => Promise<void> {
  let hasFailed = false
  return async () => {
    try {
      await read()
    } catch (thrown) {
      // Each change of the page would say it again.
      if (!hasFailed) console.warn('offstage: the forms of the page cannot be read.', thrown)
      hasFailed = true
    }
  }
}

function offerLeft(agent: TakesTools): Map<string, () => void> {
  const left = new Map<string, () => void>()
  for (const name of leftForms()) {
    const undo = registered(agent, leftFormTool(name))
    if (undo) left.set(name, undo)
  }
  return left
}

/** Those of the page itself: shadow roots and frames have their own. */
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

/** A pattern may take a validator too long: then only the browser checks it. */
function register(
  agent: TakesTools,
  parts: Omit<FormToolParts, 'inputSchema'>,
): (() => void) | null {
  const { inputSchema, name } = parts.definition
  for (const schema of [inputSchema, withoutPatterns(inputSchema)]) {
    const undo = registered(agent, formTool({ ...parts, inputSchema: schema }))
    if (undo) return undo
  }
  console.warn(
    `offstage: the form ${name} is no tool: the agent has one of its name, or takes no such schema.`,
  )
  return null
}

/** Null: an agent takes no such tool. */
function registered(agent: TakesTools, tool: Tool): (() => void) | null {
  try {
    return agent.registerTool(tool)
  } catch {
    return null
  }
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
