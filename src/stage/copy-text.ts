/** Copies a text. Where the page may not (plain HTTP, a policy), nothing happens, and `onCopied` isn't called. */
export function copyText(text: string, onCopied: () => void): void {
  // Missing on plain HTTP, whatever the types say.
  const { clipboard } = navigator as Partial<Pick<Navigator, 'clipboard'>>
  clipboard?.writeText(text).then(onCopied, () => {})
}
