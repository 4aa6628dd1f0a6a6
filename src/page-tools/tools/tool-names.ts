import { PageError } from '../page-error.ts'

const READ = ['read_page', 'find', 'read_selection', 'look', 'highlight', 'wait_for'] as const
const FORMS = [
  'read_page',
  'find',
  'click',
  'type_text',
  'fill_form',
  'select_option',
  'set_checked',
] as const
const ALL = [
  'read_page',
  'find',
  'read_selection',
  'look',
  'highlight',
  'wait_for',
  'click',
  'hover',
  'drag',
  'scroll',
  'type_text',
  'select_text',
  'fill_form',
  'select_option',
  'set_checked',
  'press_key',
  'navigate',
  'go_back',
] as const

export type PageToolName = (typeof ALL)[number]

/** `'read'`: tools that change nothing; `'forms'`: tools to read, click and fill in; `'all'`: all tools. */
export type PageToolPreset = 'read' | 'forms' | 'all'

const PRESETS: Readonly<Record<PageToolPreset, readonly PageToolName[] | null>> = {
  read: READ,
  forms: FORMS,
  all: null,
}

/**
 * Names of the wanted tools; null for all. Throws a `PageError` for an unknown name or preset, so that a missing tool
 * is noticed early.
 */
export function wantedNames(
  wanted: PageToolPreset | readonly PageToolName[],
): ReadonlySet<string> | null {
  if (typeof wanted === 'string') {
    if (Object.hasOwn(PRESETS, wanted)) return PRESETS[wanted] && new Set(PRESETS[wanted])
    throw new PageError(
      'invalid-input',
      `tools: there is no preset ${JSON.stringify(wanted)}, but ${Object.keys(PRESETS).join(', ')}.`,
    )
  }
  const unknown = wanted.find((name) => !ALL.includes(name))
  if (unknown === undefined) return new Set(wanted)
  throw new PageError(
    'invalid-input',
    `tools: there is no page tool ${JSON.stringify(unknown)}, but ${ALL.join(', ')}.`,
  )
}
