/** Whether a person can see the page; a `change` event when that changes. */
export interface PageVisibility extends EventTarget {
  readonly isVisible: boolean
}

/** Set by what the page says. */
export class PageVisibilityTarget extends EventTarget implements PageVisibility {
  isVisible = true

  set(isVisible: boolean): void {
    this.isVisible = isVisible
    this.dispatchEvent(new Event('change'))
  }
}
