import { contains, isDisplayed } from '../dom.ts'
import type { LivePage } from '../outline/live-page.ts'
import { drawnModal, isShutOut } from '../outline/drawn-modal.ts'
import { ALIAS, find, type FindOptions } from '../read/find.ts'
import { describeElement } from './describe.ts'

/** The open dialog or list that keeps an element of this name out of reach; empty when there is none. */
export async function findBlockingDialog(
  name: string,
  live: LivePage,
  settings: FindOptions,
): Promise<string> {
  const [found] = await find({ name }, { ...settings, limit: 1, hidden: true })
  if (!found || found.score < ALIAS || !isDisplayed(found.element)) return ''
  const { modal } = live.outline
  const isOutside = modal ? !contains(modal, found.element) : isShutOut(found.element)
  const top = isOutside ? (modal ?? drawnModal(found.element.ownerDocument)) : null
  return top ? describeElement(top, live) : ''
}
