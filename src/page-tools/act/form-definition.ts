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
import { fieldSchema, type FormField, kindOf } from './form-field.ts'
import { elementsOf } from './sites.ts'

// The attributes are those of WebMCP's declarative forms:
// https://github.com/webmachinelearning/webmcp/blob/main/declarative-api-explainer.md

/** A form as a tool. All texts are the page's. */
export interface FormDefinition {
  /** As the page names it. */
  readonly name: string
  readonly description: string
  /** The page lets it be sent without a person who looks at it. */
  readonly submits: boolean
  readonly fields: readonly FormField[]
  readonly inputSchema: JsonSchema
}

const NAME_LIMIT = 64
const DESCRIPTION_LIMIT = 2000
const LABEL_LIMIT = 200
const MAX_FIELDS = 40
const UNSAFE = /^(__proto__|constructor|prototype)$/

/** Null: the form is no tool, as it lacks a name or a description. */
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

/** A secret may be filled in by a person: the browser says so if it is missing. */
function requiredIn(elements: readonly Element[], masked: boolean): { isRequired: boolean } {
  return { isRequired: !masked && elements.some((one) => native.hasAttribute(one, 'required')) }
}

/** The fields that a call may fill, by the name under which they are sent; radio buttons and boxes of one name together. */
function grouped(
  form: HTMLFormElement,
  live: LivePage,
  clean: (text: string) => string,
): Map<string, HTMLElement[]> {
  const groups = new Map<string, HTMLElement[]>()
  for (const element of elementsOf(form)) {
    const name = clean(native.getAttribute(element, 'name') ?? '')
    const key = name.replace(/[^\w.-]/g, '_').slice(0, NAME_LIMIT)
    if (!key || UNSAFE.test(key) || !isElement(element) || !kindOf([element])) continue
    if (!isAllowed(element, live.options) || !isShown(element)) continue
    if (isReadOnly(element) || native.matches(element, ':disabled')) continue
    const group = groups.get(key)
    if (!group) groups.set(key, [element])
    // Others of one name can't be told apart by it.
    else if (isBox(element) && group.every((one) => isBox(one) && typeOf(one) === typeOf(element)))
      group.push(element)
  }
  return groups
}

/** By itself, or by the label that is shown in its place. A field that nobody sees is a trap for robots. */
function isShown(element: Element): boolean {
  if (closest(element, '[inert],[aria-hidden=true]')) return false
  return [element, ...labelsOf(element)].some((one) =>
    isDisplayed(one, { visibilityProperty: true }),
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

/** What the page says of a field: of several boxes, what it says of their group. */
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
