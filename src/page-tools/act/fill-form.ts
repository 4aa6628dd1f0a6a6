import { asSent, isScrubbed } from '../clean-text.ts'
import { isTag, viewOf } from '../dom.ts'
import { livePage } from '../outline/live-page.ts'
import type { ActOptions } from '../options.ts'
import { PageError } from '../page-error.ts'
import { roleOf } from '../outline/role.ts'
import { checkedState, isReadOnly } from '../outline/state.ts'
import { nextFrame } from '../waiting.ts'
import { perform, type ActionContext, type ActionReport, type Telling } from './perform.ts'
import { choose } from './select-option.ts'
import { check } from './set-checked.ts'
import { resolveTarget, type Target } from './target.ts'
import { editableIn } from './field-kind.ts'
import { typeInto } from './type-text.ts'

export interface FieldValue {
  readonly target: Target
  /** Text, an option's label, or whether it is checked. */
  readonly value: string | number | boolean | readonly string[]
}

/**
 * Fills several fields. Stops at the first failure or when the page navigates; the report says how far it
 * got.
 */
export async function fillForm(
  fields: readonly FieldValue[],
  options: ActOptions = {},
): Promise<ActionReport> {
  if (fields.length === 0) throw new PageError('invalid-input', 'Give at least one field.')
  const live = livePage(options.page)
  return perform(options, async (context) => {
    const { href } = location
    const tellings: Telling[] = []
    let end: readonly string[] = []
    for (const [index, field] of fields.entries()) {
      const problem = await fillOne(field, { context, options, tellings })
      const left = fields.length - index - 1
      const stop =
        problem ?? (location.href !== href && left > 0 ? 'The page navigated away.' : null)
      if (stop) {
        end = [`Stopped: ${stop}`, `${left} more fields were not filled.`]
        if (index === 0 && problem) throw new PageError('refused-value', end.join('\n'))
        break
      }
      const { modal } = live.outline
      await nextFrame(modal ? viewOf(modal) : window)
    }
    return { summary: (seen) => tellAll(tellings, end, seen), expectsChange: false }
  })
}

/** Reports each field on a line. Throws `refused-value` if the page kept none of them. */
function tellAll(
  tellings: readonly Telling[],
  end: readonly string[],
  seen: Parameters<Telling>[0],
): string {
  let kept = 0
  const lines = tellings.map((telling) => {
    try {
      const line = telling(seen)
      kept += 1
      return line
    } catch (error) {
      return `Not kept: ${messageOf(error)}`
    }
  })
  const text = [...lines, ...end].join('\n')
  if (kept === 0) throw new PageError('refused-value', text)
  return text
}

interface Progress {
  readonly context: ActionContext
  readonly options: ActOptions
  readonly tellings: Telling[]
}

/** Fills one field. Returns an error message, or null on success. */
async function fillOne(
  { target, value }: FieldValue,
  { context, options, tellings }: Progress,
): Promise<string | null> {
  try {
    const { live, signal } = context
    const element = await resolveTarget(target, { page: options.page, live, signal })
    tellings.push(await setField(element, value, context))
    return null
  } catch (error) {
    return messageOf(error)
  }
}

function messageOf(error: unknown): string {
  if (!PageError.is(error)) throw error
  return isScrubbed(error) ? asSent(error.message) : error.message
}

/** Sets a field of any kind. */
export function setField(
  element: HTMLElement,
  value: FieldValue['value'],
  context: ActionContext,
): Promise<Telling> {
  const role = roleOf(element)
  if (typeof value === 'boolean') return check(element, value, context)
  const isBox = checkedState(element) !== null
  if (isBox) return check(element, !/^(false|no|off|0|unchecked|)$/i.test(String(value)), context)
  const isList = isTag(element, 'select') || role === 'listbox' || role === 'radiogroup'
  const field = editableIn(element)
  const isClosed = role === 'combobox' && (!field || isReadOnly(field))
  if (isList || Array.isArray(value) || isClosed)
    return choose(element, [value].flat().map(String), context)
  return typeInto(element, String(value), { context, options: {} })
}
