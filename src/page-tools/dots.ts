/** Whether a style draws text as dots, as password fields do. Firefox has no such property. */
export function drawsDots(style: CSSStyleDeclaration): boolean {
  const drawn = style.getPropertyValue('-webkit-text-security')
  return drawn !== '' && drawn !== 'none'
}
