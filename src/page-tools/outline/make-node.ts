import { isTag } from '../dom.ts'
import { drawsDots } from '../dots.ts'
import * as native from '../native.ts'
import type { PageOptions } from '../options.ts'
import { holdsText, isSecretField, maskSelector } from '../privacy.ts'
import { isInView, viewport } from './clip.ts'
import { type Appearance, roleUntilHover } from './hover/appearance.ts'
import type { OutlineNode, WalkContext } from './outline-node.ts'
import { isStepSign, isTabStop, reactsItself } from './own-reaction.ts'
import { getsPointerOnHover } from './pointer-rules.ts'
import { isActionable, roleOf } from './role.ts'
import { hasDragCursor, hasPointerCursor } from './visibility.ts'

/** The node of one element, without its content. */
export function makeNode(
  element: Element,
  options: PageOptions,
  {
    parent,
    context,
    visibility,
    onHover,
  }: Appearance & {
    readonly parent: OutlineNode | null
    readonly context: WalkContext
  },
): OutlineNode {
  const { bare } = visibility
  const proxied = hiddenControl(element)
  const control = proxied ?? element
  const role = visibility.invisible ? '' : roleUntilHover(roleOf(control), onHover)
  const masked =
    context.masked ||
    isSecretField(element) ||
    isMaskedItself(element, options, bare) ||
    (!visibility.invisible &&
      visibility.style !== null &&
      holdsText(element) &&
      drawsDots(visibility.style))
  const clickable =
    !visibility.invisible &&
    !context.inControl &&
    !isActionable(role) &&
    !(isTag(element, 'label') && element.control) &&
    (context.pointerCursor
      ? reactsItself(element)
      : hasPointerCursor(visibility) ||
        hasDragCursor(element, visibility.style) ||
        (!bare && (native.hasAttribute(element, 'onclick') || getsPointerOnHover(element))) ||
        (!role && ((!bare && isTabStop(element)) || isStepSign(element))))
  const visuallyHidden = context.visuallyHidden || visibility.visuallyHidden
  const inView =
    onHover !== 'unrendered' &&
    isInView(element, visibility.fixed ? viewport(context.view) : context.clip)
  return {
    element,
    role,
    control,
    parent,
    clickable,
    masked,
    visuallyHidden,
    onHover,
    inView,
    holdsView: inView,
    context,
    items: [],
    signature: '',
    addedAt: 0,
    changedAt: 0,
    name: null,
  }
}

/** Only the host's selectors match what has no attributes. */
function isMaskedItself(element: Element, options: PageOptions, bare: boolean): boolean {
  return (
    (!bare || (options.mask?.length ?? 0) > 0) && native.matches(element, maskSelector(options))
  )
}

const TYPED = /^(?:textbox|searchbox|spinbutton)$/

/**
 * The control of a label that is shown in place of it, as the control itself isn't displayed. Nobody types into a field
 * that isn't: it only carries the value of something else.
 */
function hiddenControl(element: Element): Element | null {
  if (!isTag(element, 'label')) return null
  const { control } = element
  if (!control || TYPED.test(roleOf(control))) return null
  return native.checkVisibility(control, { visibilityProperty: true }) ? null : control
}
