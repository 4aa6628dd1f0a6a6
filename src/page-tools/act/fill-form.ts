import { isAttached, isTag, viewOf } from '../dom.ts'
import { livePage, type LivePage } from '../outline/live-page.ts'
import { type ActOptions, PageError } from '../page.ts'
import { getShownRole } from '../outline/role.ts'
import { checkedState, isReadOnly } from '../outline/state.ts'
import { createTimeLimit, nextFrame, poll } from '../waiting.ts'
import { messageOf, perform, type ActionReport, type ResultReporter } from './perform.ts'
import type { ActionContext } from './guard-actions.ts'
import { applyChoice } from './select-option.ts'
import { resolveTarget, type Target, describeElement } from './target.ts'
import { editableIn } from './field-kind.ts'
import { typeInto } from './text/type-text.ts'
import * as native from '../native.ts'
import { clickElement, onlyPressed } from './click.ts'
import { requireAllowed } from '../outline/region.ts'

export interface FieldValue {
  readonly target: Target
  /** Text, labels of options, or whether the field is checked. */
  readonly value: string | number | boolean | readonly string[]
}

export async function fillForm(
  fields: readonly FieldValue[],
  options: ActOptions = {},
): Promise<ActionReport> {
  if (fields.length === 0) throw new PageError('invalid-input', 'Give at least one field.')
  const live = livePage(options.page)
  return perform(options, async (context) => {
    const { pathname, href } = location
    const filled: Element[] = []
    const reporters: ResultReporter[] = []
    let endLines: readonly string[] = []
    for (const [index, field] of fields.entries()) {
      // A page may write its fields into the address. On the same path, it has navigated only if the fields are gone.
      const hasNavigated =
        location.pathname !== pathname || (location.href !== href && !filled.some(isAttached))
      const problem = hasNavigated
        ? 'The page navigated away.'
        : await fillField(field, { context, options, filled, reporters })
      if (problem) {
        const remaining = fields.length - index - (hasNavigated ? 0 : 1)
        endLines = [`Stopped: ${problem}`, `${remaining} more fields were not filled.`]
        if (index === 0) throw new PageError('refused-value', endLines.join('\n'))
        break
      }
      const { modal } = live.outline
      await nextFrame(modal ? viewOf(modal) : window)
    }
    return { summary: (result) => reportAll(reporters, endLines, result), expectsChange: false }
  })
}

/** Reports each field on a line. Throws `refused-value` if the page kept none of them. */
function reportAll(
  reporters: readonly ResultReporter[],
  endLines: readonly string[],
  result: Parameters<ResultReporter>[0],
): string {
  let keptCount = 0
  const lines = reporters.map((reporter) => {
    try {
      const line = reporter(result)
      keptCount += 1
      return line
    } catch (error) {
      return `Not kept: ${messageOf(error)}`
    }
  })
  const text = [...lines, ...endLines].join('\n')
  if (keptCount === 0) throw new PageError('refused-value', text)
  return text
}

interface Progress {
  readonly context: ActionContext
  readonly options: ActOptions
  readonly filled: Element[]
  readonly reporters: ResultReporter[]
}

/** Fills one field. Returns an error message, or null on success. */
async function fillField(
  { target, value }: FieldValue,
  { context, options, filled, reporters }: Progress,
): Promise<string | null> {
  try {
    const element = await resolveTarget(target, options)
    filled.push(element)
    reporters.push(await setField(element, value, context))
    return null
  } catch (error) {
    return messageOf(error)
  }
}

export function setField(
  element: HTMLElement,
  value: FieldValue['value'],
  context: ActionContext,
): Promise<ResultReporter> {
  const role = getShownRole(element)
  if (typeof value === 'boolean') return applyChecked(element, value, context)
  const isBox = checkedState(element) !== null
  if (isBox)
    return applyChecked(element, !/^(false|no|off|0|unchecked|)$/i.test(String(value)), context)
  const isList = isTag(element, 'select') || role === 'listbox' || role === 'radiogroup'
  const field = editableIn(element)
  const isClosed = role === 'combobox' && (!field || isReadOnly(field))
  if (isList || Array.isArray(value) || isClosed)
    return applyChoice(element, [value].flat().map(String), context)
  return typeInto(element, String(value), { context, options: {} })
}

/**
 * How long a control may take to show its new state: many ask a server first, and hidden tabs run timers once a second.
 * Milliseconds.
 */
const LATE_MS = 1500

export async function setChecked(
  target: Target,
  checked: boolean,
  options: ActOptions = {},
): Promise<ActionReport> {
  const element = await resolveTarget(target, options)
  return perform(options, async (context) => ({
    summary: await applyChecked(element, checked, context),
    element,
    expectsChange: false,
  }))
}

/** Makes the change and returns its reporter, for actions of several steps. */
export async function applyChecked(
  target: HTMLElement,
  checked: boolean,
  context: ActionContext,
): Promise<ResultReporter> {
  const { live, signal } = context
  const element = findCheckable(target)
  requireAllowed(element, live.options)
  const name = describeElement(element, live)
  const before = getCheckedState(element, live)
  if (before === checked) return () => `${name} was ${formatChecked(checked)} already.`
  if (!checked && isRadio(element))
    throw new PageError('unsupported', `${name} can only be unchecked by checking another one.`)
  const isClicked = await clickElement(element, context)
  if (!isClicked && !native.isConnected(element)) return () => onlyPressed(name)
  const isPending = (): boolean =>
    native.isConnected(element) && getCheckedState(element, live) !== checked
  if (!(await poll(() => !isPending(), createTimeLimit(LATE_MS), { signal })))
    throw new PageError(
      'refused-value',
      `${name} was clicked but is still not ${formatChecked(checked)}. The change may still be pending: read it before you try again, since a second click may undo it.`,
    )
  return () => {
    if (!native.isConnected(element)) return `Clicked ${name}; the page replaced it.`
    if (getCheckedState(element, live) === checked)
      return `${describeElement(element, live)} is now ${formatChecked(checked)}.`
    throw new PageError(
      'refused-value',
      `${name} was clicked, but the page did not keep that: it is not ${formatChecked(checked)}.`,
    )
  }
}

function getCheckedState(element: HTMLElement, live: LivePage): boolean | 'mixed' {
  const pressed = native.getAttribute(element, 'aria-pressed')
  const state = checkedState(element) ?? (pressed === null ? null : pressed === 'true')
  if (state === null)
    throw new PageError(
      'unsupported',
      `${describeElement(element, live)} is no checkbox, switch or radio button. Click it instead.`,
    )
  return state
}

/** The checkbox itself when the target is its label or a component around it. */
function findCheckable(target: HTMLElement): HTMLElement {
  if (checkedState(target) !== null) return target
  if (isTag(target, 'label') && target.control) return target.control
  const selector =
    'input[type=checkbox],input[type=radio],[role=switch],[role=checkbox],[role=radio]'
  const inputs = [target, native.shadowRoot(target)].flatMap((scope) => [
    ...((scope && native.querySelectorAll<HTMLElement>(scope, selector)) ?? []),
  ])
  return inputs.length === 1 && inputs[0] ? inputs[0] : target
}

function isRadio(element: Element): boolean {
  return (
    native.getAttribute(element, 'role') === 'radio' ||
    (isTag(element, 'input') && element.type === 'radio')
  )
}

function formatChecked(checked: boolean): string {
  return checked ? 'checked' : 'unchecked'
}
