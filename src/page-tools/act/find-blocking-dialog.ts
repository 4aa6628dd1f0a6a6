import { contains, isDisplayed } from '../dom.ts'
import * as native from '../native.ts'
import type { LivePage } from '../outline/live-page.ts'
import { ariaModal, isUnreachable } from '../outline/aria-modal.ts'
import { ALIAS_SCORE, find, type FindOptions } from '../read/find.ts'
import { describeElement } from './describe.ts'

/** The open dialog or list that makes an element of this name unreachable; empty when there is none. */
export async function findBlockingDialog(
  name: string,
  live: LivePage,
  settings: FindOptions,
): Promise<string> {
  const [found] = await find({ name }, { ...settings, limit: 1, hidden: true })
  if (!found || found.score < ALIAS_SCORE || !isDisplayed(found.element)) return ''
  const { modal } = live.outline
  const isOutside = modal ? !contains(modal, found.element) : isUnreachable(found.element)
  const top = isOutside ? (modal ?? ariaModal(native.ownerDocument(found.element))) : null
  return top ? describeElement(top, live) : ''
}
