import { editableIn } from '../act/field-kind.ts'
import { resolveTarget } from '../act/target.ts'
import { partsOf } from '../act/type-parts.ts'
import { focusedElement, isElement } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { nameOf } from '../outline/name.ts'
import { roleOf } from '../outline/role.ts'
import { isCardNumber } from '../secrets/card-number.ts'
import { livePage } from '../outline/live-page.ts'
import { rootOf } from '../outline/region.ts'
import type { Page, PageOptions } from '../options.ts'
import { isMasked } from '../privacy.ts'

/** A text that a call writes into an element. */
export interface Written {
  /** JSON pointer of the text in the input. */
  readonly pointer: string
  /** Undefined: the focused element. */
  readonly target: string | undefined
  readonly text?: string
}

/**
 * JSON pointers of the values that go into masked fields. A field that isn't found counts: it may be masked once it is
 * there.
 */
export async function maskedInputs(
  page: Page,
  written: readonly Written[],
): Promise<readonly string[]> {
  const live = livePage(page)
  const masked: string[] = []
  for (const { pointer, target, text } of written) {
    const ownerDocument = native.ownerDocument(rootOf(live.options))
    const element =
      target === undefined
        ? (focusedElement(ownerDocument) ?? nativeDocument.body(ownerDocument))
        : await resolveTarget(target, { page, live }).catch(() => null)
    if (!element || isCardNumber(text ?? '') || takesSecrets(element, live.options))
      masked.push(pointer)
  }
  return masked
}

function takesSecrets(element: Element, options: PageOptions): boolean {
  const field = isElement(element) ? editableIn(element) : null
  return [element, ...(field ? [field] : []), ...partsOf(element)].some((one) => {
    nameOf(one, roleOf(one) || 'textbox', options)
    return isMasked(one, options)
  })
}
