import type { JsonObject, JsonSchema } from '../../protocol/json.ts'
import { cleanText, shorten } from '../clean-text.ts'
import { closest, isDisplayed, isElement, isTag } from '../dom.ts'
import { labelsOf } from '../labels.ts'
import * as native from '../native.ts'
import { type LivePage, scrubber } from '../outline/live-page.ts'
import { nameOf } from '../outline/name.ts'
import { isAllowed } from '../outline/region.ts'
import { roleOf } from '../outline/role.ts'
import { isReadOnly } from '../outline/state.ts'
import { isMasked } from '../privacy.ts'
import { unseenBox, unseenReason } from '../sight/unseen.ts'
import { fieldSchema, type FormField, kindOf } from './form-field.ts'
import { elementsOf } from './sites.ts'

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
export function parameterOf(field: Element, clean: (text: string) => string): string {
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
    cleanText(nameOf(element, roleOf(element) || 'textbox', options).text),
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
