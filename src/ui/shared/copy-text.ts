/** Copies a text and calls `onCopied`. If the page isn't allowed to copy (plain HTTP, a policy), does nothing. */
export function copyText(text: string, onCopied: () => void): void {
  // Undefined on plain HTTP, whatever the types say.
  const { clipboard } = navigator as Partial<Pick<Navigator, 'clipboard'>>
  clipboard?.writeText(text).then(onCopied, () => {})
}
