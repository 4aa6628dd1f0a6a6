import { byId, setText } from '../lib/dom.ts'

/** Does what a person asked of the shop, and tells them why when it can't be done. */
export function runShopAction(action: () => void): void {
  const notice = byId('shop-notice', HTMLElement)
  try {
    action()
    setText(notice, '')
  } catch (error) {
    setText(notice, error instanceof Error ? error.message : String(error))
  }
}
