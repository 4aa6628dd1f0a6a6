import * as nativeDocument from '../native-document.ts'
import { isElement, isTag } from '../dom.ts'
import type { LivePage } from '../outline/live-page.ts'
import { isMasked } from '../privacy.ts'
import { isReadable } from '../outline/region.ts'
import { refOf } from '../refs.ts'
import { validationMessageOf } from './validation-message.ts'
import { describeElement } from './describe.ts'

/** What the browser prevented, for the report. */
export interface RefusalWatch {
  lines(): string[]
  stop(): void
}

const MAX_FIELDS = 3

/**
 * Detects what the browser shows to a person only: the validation messages of a form that isn't sent, and a
 * file picker, which opens for people only.
 */
export function watchRefusals(
  trees: Iterable<Document | ShadowRoot>,
  live: LivePage,
): RefusalWatch {
  const invalid = new Set<Element>()
  const pickers = new Set<Element>()
  const record = (event: Event): void => {
    const { type } = event
    const element = event.composedPath()[0] as Node
    if (!isElement(element) || !isReadable(element, live.options)) return
    if (type === 'invalid') invalid.add(element)
    // The form is sent: a script only checked its validity.
    else if (type === 'submit') invalid.clear()
    else if (isTag(element, 'input') && element.type === 'file') pickers.add(element)
  }
  // `invalid` events stay within the field's own tree.
  const watched = [...trees]
  for (const tree of watched)
    for (const type of TYPES) nativeDocument.addEventListener(tree, type, record, { capture: true })
  return {
    lines: () => [
      ...[...invalid].slice(0, MAX_FIELDS).flatMap((field) => refusalOf(field, live)),
      ...[...pickers].map(
        (field) =>
          `The page asks for a file. A picker opens only for people: use type_text with ref ${refOf(field)} and the name of the file.`,
      ),
    ],
    stop() {
      for (const tree of watched)
        for (const type of TYPES)
          nativeDocument.removeEventListener(tree, type, record, { capture: true })
    },
  }
}

const TYPES = ['invalid', 'submit', 'click']

function refusalOf(field: Element, live: LivePage): string[] {
  const message = validationMessageOf(field)
  if (message === null) return []
  const words = isMasked(field, live.options) ? 'what it holds is not accepted' : message
  return [`The form was not sent. ${describeElement(field, live)} says: ${words}`]
}
