import type { ToolDefinitionOptions } from '../../client/tools/define-tool.ts'
import type { InferInput } from '../../client/tools/infer-schema.ts'
import type { Tool } from '../../client/tools/tool.ts'
import type { JsonSchema } from '../../protocol/json.ts'
import { DEFINITIONS, type Hook, type PageToolName } from '../definitions.ts'
import {
  createPage,
  type Page,
  type PageOptions,
  PageError,
  type ActOptions,
  part,
  releaseSignal,
} from '../page.ts'
import type { ClickOptions } from '../act/click.ts'
import type { DropPlace } from '../act/drag.ts'
import type { FieldValue } from '../act/fill-form.ts'
import type { HighlightOptions } from '../act/highlight.ts'
import type { Look } from '../act/look.ts'
import type { ActionReport } from '../act/perform.ts'
import type { ScrollOptions } from '../act/scroll.ts'
import type { Target } from '../act/target.ts'
import type { PressKeyOptions } from '../act/text/press-key.ts'
import type { SelectTextOptions } from '../act/text/select-text.ts'
import type { TypeOptions } from '../act/text/type-text.ts'
import type { WaitOptions } from '../act/wait-for.ts'
import type { Found, FindOptions, FindQuery } from '../read/find.ts'
import type { Snapshot, SnapshotOptions } from '../read/snapshot.ts'

// The code of tools and functions is loaded by the first call that needs it.

const loadReading = part(() => import('./read-part.ts'))
const loadActing = part(() => import('./act-part.ts'))

/**
 * Loads a part for a call. Rejects if the page is released meanwhile, because the part would start to observe the page.
 */
async function loadFor<Part>(load: () => Promise<Part>, page: Page | undefined): Promise<Part> {
  const signal = page && releaseSignal(page)
  const part = await load()
  signal?.throwIfAborted()
  return part
}

const ALL_NAMES = DEFINITIONS.map(([{ name }]) => name)
const READ_ONLY = DEFINITIONS.flatMap(([{ name, annotations }]) =>
  annotations.readOnly ? [name] : [],
)
const FORMS = [
  'read_page',
  'find',
  'click',
  'type_text',
  'fill_form',
  'select_option',
  'set_checked',
] as const

/** `'read'`: tools that change nothing; `'forms'`: tools to read, click and fill in; `'all'`: all tools. */
export type PageToolPreset = 'read' | 'forms' | 'all'

const PRESETS: Readonly<Record<PageToolPreset, readonly PageToolName[]>> = {
  read: READ_ONLY,
  forms: FORMS,
  all: ALL_NAMES,
}

/** Throws a `PageError` for an unknown name or preset, so that a missing tool is noticed early. */
function resolveNames(
  selection: PageToolPreset | readonly PageToolName[],
): ReadonlySet<PageToolName> {
  if (typeof selection === 'string') {
    if (Object.hasOwn(PRESETS, selection)) return new Set(PRESETS[selection])
    throw new PageError(
      'invalid-input',
      `tools: there is no preset ${JSON.stringify(selection)}. Use ${Object.keys(PRESETS).join(', ')}.`,
    )
  }
  const unknown = selection.find((name) => !ALL_NAMES.includes(name))
  if (unknown === undefined) return new Set(selection)
  throw new PageError(
    'invalid-input',
    `tools: there is no page tool ${JSON.stringify(unknown)}. Use ${ALL_NAMES.join(', ')}.`,
  )
}

/** Options of `pageTools`: which tools the model gets, and the limits of all of them. */
export interface PageToolsOptions extends PageOptions {
  /** A preset, or names of tools. Default `'all'`. An unknown name makes `pageTools` throw a `PageError`. */
  readonly tools?: PageToolPreset | readonly PageToolName[]
}

/**
 * Creates tools with which a model reads and operates the page as a person does. All tools share one `Page`, which is
 * released when a tool is unregistered or the agent is disposed. The remaining tools continue to work. The first call
 * that needs the code loads it; if that fails, the call fails and does nothing.
 */
export function pageTools({ tools: wanted = 'all', ...options }: PageToolsOptions = {}): Tool[] {
  const names = resolveNames(wanted)
  const page = createPage(options)
  const definitions = DEFINITIONS.filter(([{ name }]) => names.has(name))
  const includesActing = definitions.some(([, , part]) => part === 'acting')
  const code = {
    reading: createLoader(page, async () => {
      const part = await loadReading()
      // Preloads the part, since a model that reads the page is about to act. If this fails, the call that needs the
      // part reports it.
      if (includesActing) loadActing().catch(() => undefined)
      return part
    }),
    acting: createLoader(page, loadActing),
  }
  return definitions.map(([definition, hooks, part]) => {
    const lazyHooks = hooks.map((hook) => [
      hook,
      callLater(() => code[part](definition.name), hook),
    ])
    return {
      ...definition,
      ...Object.fromEntries(lazyHooks),
      dispose: () => page.release(),
    } as Tool
  })
}

/** Returns a function that loads a tool's code. The tools are created only once, because they remember calls. */
function createLoader(
  page: Page,
  load: () => Promise<{ readonly makeTools: (page: Page) => readonly Tool[] }>,
): (name: string) => Promise<Tool | undefined> {
  let tools: readonly Tool[] | undefined
  return async (name) => {
    const { makeTools } = await loadFor(load, page)
    tools ??= makeTools(page)
    return tools.find((tool) => tool.name === name)
  }
}

function callLater(
  load: () => Promise<Tool | undefined>,
  hook: Hook,
): (...args: readonly unknown[]) => Promise<unknown> {
  return async (...args) => {
    const method = (await load())?.[hook]
    if (typeof method !== 'function') throw new TypeError(`The tool has no ${hook}().`)
    return Reflect.apply(method, undefined, args)
  }
}

/**
 * Types a tool as `defineTool` does, but without checks. Registration checks the tool with code that the page has
 * already loaded.
 */
export function typedTool<
  const Name extends string,
  const Schema extends JsonSchema,
  Output = unknown,
>(
  tool: ToolDefinitionOptions<Name, Schema, Output, unknown>,
): Tool<Name, InferInput<Schema>, Output> {
  return tool
}

/**
 * Reads the page, or only the part in `root`, as an indented outline for a model. `maxTokens` limits its length;
 * default 2000. The option `page`, made by `createPage()`, limits what is read. Default: the whole page. Rejects with a
 * `PageError` if `page` excludes `root`.
 *
 * @example
 * const { text } = await snapshot(document.querySelector('main')!, { maxTokens: 500 })
 */
export async function snapshot(root?: Element, options: SnapshotOptions = {}): Promise<Snapshot> {
  return (await loadFor(loadReading, options.page)).snapshot(root, options)
}

/** Finds visible elements that match the query, best first. Also finds elements that are scrolled out of view. */
export async function find(query: FindQuery, options: FindOptions = {}): Promise<Found[]> {
  return (await loadFor(loadReading, options.page)).find(query, options)
}

/** Returns the text that a person has selected, in the page or in a field. Empty if nothing is selected. */
export async function readSelection(options: ActOptions = {}): Promise<string> {
  return (await loadFor(loadReading, options.page)).readSelection(options)
}

/**
 * Clicks an element with all events of a person's click, and scrolls to it first. `target` is the element, its ref in a
 * snapshot, or its exact name in a snapshot. Resolves once the page has settled, with a report of what changed. Rejects
 * with a `PageError` if a person couldn't click it: `code` is `hidden`, `disabled`, `covered` or another reason.
 *
 * @example
 * const { changed, text } = await click(document.querySelector('#save')!)
 */
export async function click(target: Target, options: ClickOptions = {}): Promise<ActionReport> {
  return (await loadFor(loadActing, options.page)).click(target, options)
}

/**
 * Moves the pointer over an element, which opens menus and tooltips. Scripted events don't trigger `:hover` styles: the
 * report lists what these styles would show.
 */
export async function hover(target: Target, options: ActOptions = {}): Promise<ActionReport> {
  return (await loadFor(loadActing, options.page)).hover(target, options)
}

/** Types into a field or an editor. Also sets sliders, dates, times, colours and files. */
export async function typeText(
  target: Target,
  text: string,
  options: TypeOptions = {},
): Promise<ActionReport> {
  return (await loadFor(loadActing, options.page)).typeText(target, text, options)
}

/**
 * Fills several fields. Stops at the first failure or when the page navigates; the report says how far it
 * got.
 */
export async function fillForm(
  fields: readonly FieldValue[],
  options: ActOptions = {},
): Promise<ActionReport> {
  return (await loadFor(loadActing, options.page)).fillForm(fields, options)
}

/** Chooses by the visible label, in a native select or in a component's own list. */
export async function selectOption(
  target: Target,
  labels: string | readonly string[],
  options: ActOptions = {},
): Promise<ActionReport> {
  return (await loadFor(loadActing, options.page)).selectOption(target, labels, options)
}

/**
 * Selects a passage or a range of characters, in a field, an editor or on the page. By default, selects the whole text.
 */
export async function selectText(
  target: Target,
  options: SelectTextOptions = {},
): Promise<ActionReport> {
  return (await loadFor(loadActing, options.page)).selectText(target, options)
}

/** Checks or unchecks a checkbox, switch or radio button; does nothing when it is already in that state. */
export async function setChecked(
  target: Target,
  checked: boolean,
  options: ActOptions = {},
): Promise<ActionReport> {
  return (await loadFor(loadActing, options.page)).setChecked(target, checked, options)
}

/** Presses a key like `Enter`, `ArrowDown`, `Shift+Tab` or `Control+A`. */
export async function pressKey(
  keyName: string,
  options: PressKeyOptions = {},
): Promise<ActionReport> {
  return (await loadFor(loadActing, options.page)).pressKey(keyName, options)
}

/** Drags with the pointer and, where the element is `draggable`, with drag-and-drop events. */
export async function drag(
  target: Target,
  place: DropPlace,
  options: ActOptions = {},
): Promise<ActionReport> {
  return (await loadFor(loadActing, options.page)).drag(target, place, options)
}

/**
 * Scrolls to an element, in a direction, or until a text appears. By default, scrolls down. A search takes at most 8
 * seconds (30 on a slow page), and reports a text that it didn't find. Rejects with a `PageError` if the page scrolls
 * back.
 */
export async function scroll(options: ScrollOptions = {}): Promise<ActionReport> {
  return (await loadFor(loadActing, options.page)).scroll(options)
}

/** Waits for something to appear or disappear; without a condition, until the page settles. */
export async function waitFor(options: WaitOptions = {}): Promise<ActionReport> {
  return (await loadFor(loadActing, options.page)).waitFor(options)
}

/**
 * Takes a picture of an image, canvas or drawing, or of a video's current frame. `target` is this element, or contains
 * it. Rejects with a `PageError` if the picture is masked, invisible, or unreadable for the page.
 */
export async function look(target: Target, options: ActOptions = {}): Promise<Look> {
  return (await loadFor(loadActing, options.page)).look(target, options)
}

/** Draws a frame around an element to show the user where it is. The page's own content isn't changed. */
export async function highlight(target: Target, options: HighlightOptions = {}): Promise<string> {
  return (await loadFor(loadActing, options.page)).highlight(target, options)
}

/**
 * Navigates to an address of the page's own origin, or of an origin in the page's `origins` option. Never resolves if
 * the page unloads: the run continues in the next page.
 */
export async function navigate(address: string, options: ActOptions = {}): Promise<ActionReport> {
  return (await loadFor(loadActing, options.page)).navigate(address, options)
}

/** Goes back in the tab's history, if the previous entry is of this site. */
export async function goBack(options: ActOptions = {}): Promise<ActionReport> {
  return (await loadFor(loadActing, options.page)).goBack(options)
}
