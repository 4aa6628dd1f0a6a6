import * as native from '../native.ts'
import { closest, isDisplayed } from '../dom.ts'

const MODAL = 'dialog,[role=dialog],[role=alertdialog],[role=menu],[role=listbox],[aria-modal=true]'
const UNREACHABLE = '[aria-hidden="true"],[inert]'

export function isUnreachable(element: Element): boolean {
  return closest(element, UNREACHABLE) !== null
}

/** The last open dialog, menu or list, which may make the rest of the page unreachable. */
export function ariaModal(document: Document): Element | null {
  const open = [...native.querySelectorAll(document, MODAL)].filter(
    (one) => isDisplayed(one) && !isUnreachable(one),
  )
  return open.at(-1) ?? null
}
