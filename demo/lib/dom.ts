type Prop = string | number | boolean | ((event: Event) => void)

export interface Props {
  readonly [name: string]: Prop
}

/**
 * An element with attributes, `on…` listeners and children. Text always becomes text nodes: what
 * people and models write is never read as HTML.
 */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props: Props = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  setProps(element, props)
  element.append(...children)
  return element
}

export function svg(tag: string, props: Props = {}, ...children: readonly Node[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
  setProps(element, props)
  element.append(...children)
  return element
}

/** The page's element with this id. Throws when `index.html` has none of that kind. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id)
  if (!(element instanceof kind)) throw new Error(`index.html has no ${kind.name} #${id}.`)
  return element
}

/** Writes only what differs, so that selections and screen readers aren't disturbed. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text
}

function setProps(element: Element, props: Props): void {
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else if (typeof value === 'boolean') element.toggleAttribute(name, value)
    else element.setAttribute(name, String(value))
  }
}
