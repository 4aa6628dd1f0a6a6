/** Changes what a scrolled box holds; who was reading its end stays there. */
export function keepAtEnd(box: HTMLElement, change: () => void): void {
  const isAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 40
  change()
  if (isAtEnd) box.scrollTop = box.scrollHeight
}
