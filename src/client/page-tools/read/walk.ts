import { cleanText } from '../clean-text.ts'
import { childrenOf, frameDocument, isElement, isTag } from '../dom.ts'
import type { PageOptions } from '../options.ts'
import { isSecretField, MASKED, maskSelector } from '../privacy.ts'
import { listWindow } from './list-window.ts'
import { lookOf, type Look } from './look.ts'
import type { Box, OutlineNode, WalkContext } from './outline-node.ts'
import { isActionable, roleOf } from './role.ts'
import { NO_STATE, stateOf } from './state.ts'

/** What a walk needs to know, and whom it tells. */
export interface Walk {
  readonly options: PageOptions
  /** How many children of one element are looked at. */
  readonly listLimit: number
  /** Long lists show what follows this element. */
  readonly from: Element | null
  /** How many elements were looked at. */
  readonly steps: { count: number }
  /** Called for each document and shadow root that is entered. */
  onTree?(tree: Document | ShadowRoot): void
  /** Called for elements that aren't shown, but may be later. */
  onHidden?(element: Element): void
}

/** Looking at the clock costs something, too. */
const STEPS_BETWEEN_PAUSES = 24

/**
 * Looks at an element and all that is in it. Reads only, so the page lays itself out once at most.
 * Yields where it may be interrupted; elements that vanish meanwhile are left out.
 */
export function* walk(
  task: Walk,
  element: Element,
  place: { readonly parent: OutlineNode | null; readonly context: WalkContext },
): Generator<undefined, OutlineNode | null> {
  const { context } = place
  const look = lookOf(element, context.view)
  if (look.gone || isDenied(element, task.options)) {
    if (look.mayShow) task.onHidden?.(element)
    return null
  }
  task.steps.count += 1
  if (task.steps.count % STEPS_BETWEEN_PAUSES === 0) yield
  const node = makeNode(task, element, { ...place, look })
  if (isTag(element, 'select') || isBareGraphic(element)) return node
  const inner = innerContext(node, look)
  if (element.shadowRoot) task.onTree?.(element.shadowRoot)
  for (const child of listWindow(task, element, childrenIn(task, element))) {
    if (!('nodeType' in child)) node.items.push(child)
    else if (child.nodeType === 3) addText(node, child, { context: inner, look })
    else if (isElement(child)) {
      const found = yield* walk(task, child, { parent: node, context: inner })
      if (found) node.items.push(found)
    }
  }
  node.sig = signature(node)
  return node
}

export function pageContext(view: Window): WalkContext {
  return {
    view,
    clip: viewport(view),
    masked: false,
    unseen: false,
    hand: false,
    inLabel: false,
  }
}

function viewport(view: Window): Box {
  return { left: 0, top: 0, right: view.innerWidth, bottom: view.innerHeight }
}

function makeNode(
  { options }: Walk,
  element: Element,
  {
    parent,
    context,
    look,
  }: {
    readonly parent: OutlineNode | null
    readonly context: WalkContext
    readonly look: Look
  },
): OutlineNode {
  const proxied = hiddenControl(element)
  const control = proxied ?? element
  const role = look.invisible ? '' : roleOf(control)
  const masked = context.masked || isSecretField(element) || element.matches(maskSelector(options))
  const clickable =
    !look.invisible &&
    !context.hand &&
    (look.hand || element.hasAttribute('onclick')) &&
    !isActionable(role)
  const unseen = context.unseen || look.unseen
  const inView = isInView(element, look.fixed ? viewport(context.view) : context.clip)
  const node: OutlineNode = {
    element,
    role,
    control,
    parent,
    clickable,
    masked,
    unseen,
    inView,
    context,
    items: [],
    sig: '',
    name: null,
  }
  node.sig = signature(node)
  return node
}

/** The control that a label stands for because the control itself isn't displayed. */
function hiddenControl(element: Element): Element | null {
  if (!isTag(element, 'label')) return null
  const { control } = element
  return control && !control.checkVisibility({ visibilityProperty: true }) ? control : null
}

/** Drawings are of use when they say something or react to something. */
function isBareGraphic(element: Element): boolean {
  return element.localName === 'svg' && !element.querySelector('text,a,[role],[tabindex]')
}

function childrenIn(task: Walk, element: Element): readonly Node[] {
  const inner = frameDocument(element)
  if (inner) task.onTree?.(inner)
  const children = childrenOf(element)
  // What a closed disclosure hides has styles as if it were shown.
  if (isTag(element, 'details') && !element.open)
    return children.filter((child) => isElement(child) && isTag(child, 'summary')).slice(0, 1)
  return children
}

function innerContext(node: OutlineNode, look: Look): WalkContext {
  const { element, context } = node
  const inner = frameDocument(element)
  const view = inner?.defaultView
  if (view)
    return { ...pageContext(view), ...(!node.inView && { clip: null }), masked: node.masked }
  const clip = node.inView ? clipOf(element, look, context.clip) : look.fixed ? context.clip : null
  const inLabel =
    context.inLabel || isVisibleLabel(node) || /^(legend|caption)$/.test(element.localName)
  const hand = look.hand || context.hand
  const same =
    clip === context.clip &&
    node.masked === context.masked &&
    node.unseen === context.unseen &&
    hand === context.hand &&
    inLabel === context.inLabel
  return same
    ? context
    : { view: context.view, clip, masked: node.masked, unseen: node.unseen, hand, inLabel }
}

function isVisibleLabel({ element, control }: OutlineNode): boolean {
  return isTag(element, 'label') && control === element && element.control !== null
}

function clipOf(element: Element, look: Look, clip: Box | null): Box | null {
  if (!look.clips || !clip || isTag(element, 'body')) return clip
  const box = element.getBoundingClientRect()
  return {
    left: Math.max(clip.left, box.left),
    top: Math.max(clip.top, box.top),
    right: Math.min(clip.right, box.right),
    bottom: Math.min(clip.bottom, box.bottom),
  }
}

/** Elements without a box of their own count as in view: what is in them decides. */
function isInView(element: Element, clip: Box | null): boolean {
  if (!clip) return false
  const box = element.getBoundingClientRect()
  if (box.width === 0 || box.height === 0) return true
  return (
    box.bottom > clip.top && box.top < clip.bottom && box.right > clip.left && box.left < clip.right
  )
}

function isDenied(element: Element, { deny = [] }: PageOptions): boolean {
  return deny.length > 0 && element.matches(deny.join(','))
}

function addText(
  node: OutlineNode,
  child: Node,
  { context, look }: { readonly context: WalkContext; readonly look: Look },
): void {
  if (look.invisible || context.inLabel || isField(node.element)) return
  const text = cleanText(child.nodeValue ?? '')
  if (!text) return
  const last = node.items.at(-1)
  if (node.masked) {
    if (!last || !('text' in last)) node.items.push({ text: MASKED, unseen: false, holder: node })
  } else node.items.push({ text, unseen: context.unseen, holder: node })
}

/** Its text is its value. */
function isField(element: Element): boolean {
  return isTag(element, 'textarea')
}

const HINTS = ['aria-label', 'title', 'alt', 'placeholder', 'src']

/** Names are costly, so what they are made of stands for them. */
export function signature(node: OutlineNode): string {
  const { element, role, control, items, masked } = node
  const parts: string[] = [role]
  for (const item of items) if ('text' in item) parts.push(item.text)
  if (role) {
    const bare = !isActionable(role) && !element.hasAttributes()
    const { flags, value } = bare ? NO_STATE : stateOf(control, role)
    parts.push(flags.join(' '), masked ? (value ? MASKED : '') : (value ?? ''))
    for (const name of HINTS) parts.push(bare ? '' : (element.getAttribute(name) ?? ''))
  }
  return parts.join('\u0001')
}
