/** Whether a style draws a text as dots, like that of a field for a password. Firefox has no such property. */
export function drawsDots(style: CSSStyleDeclaration): boolean {
  const drawn = style.getPropertyValue('-webkit-text-security')
  return drawn !== '' && drawn !== 'none'
}
