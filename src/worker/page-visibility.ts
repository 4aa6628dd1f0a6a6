/** Whether a person can see the page; a `change` event when that changes. */
export interface PageVisibility extends EventTarget {
  readonly isVisible: boolean
}

/** What the page says of its visibility. */
export class PageVisibilityTarget extends EventTarget implements PageVisibility {
  isVisible = true

  set(isVisible: boolean): void {
    this.isVisible = isVisible
    this.dispatchEvent(new Event('change'))
  }
}
