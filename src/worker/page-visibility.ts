/** Whether the page is visible. Fires `change` when that changes. */
export interface PageVisibility extends EventTarget {
  readonly isVisible: boolean
}

/** The visibility that the page last reported. */
export class PageVisibilityTarget extends EventTarget implements PageVisibility {
  isVisible = true

  set(isVisible: boolean): void {
    this.isVisible = isVisible
    this.dispatchEvent(new Event('change'))
  }
}
