import { getRole } from 'dom-accessibility-api'
import { isTag } from '../dom.ts'

/** Controls that a person can act on. */
const ACTIONABLE = new Set(
  'button,link,textbox,searchbox,combobox,listbox,option,checkbox,radio,switch,slider,spinbutton,tab,menuitem,menuitemcheckbox,menuitemradio,treeitem,gridcell'.split(
    ',',
  ),
)

/** Roles whose name is their content, which is then not shown a second time. */
const NAMED_BY_CONTENT = new Set(
  'button,link,heading,option,checkbox,radio,switch,tab,menuitem,menuitemcheckbox,menuitemradio,treeitem,tooltip'.split(
    ',',
  ),
)

/** What opens above a page and is most likely what a reader wants to see first. */
const POPUPS = new Set('dialog,alertdialog,menu,listbox,tooltip,alert,status,tree,grid'.split(','))

/** Roles that add nothing to their content. */
const PLAIN = new Set(
  'generic,none,presentation,paragraph,strong,emphasis,code,time,mark,deletion,insertion,subscript,superscript,rowgroup,legend,caption,text,blockquote,definition,term,document,associationlist,associationlistitemkey,associationlistitemvalue'.split(
    ',',
  ),
)

/** Text-like fields to which the specification gives no role of their own. */
const INPUT_ROLES: Readonly<Record<string, string>> = {
  file: 'button',
  color: 'textbox',
  hidden: '',
}

/** The role as a snapshot shows it; empty for what is only a wrapper. */
export function roleOf(element: Element): string {
  const explicit = element.getAttribute('role')
  if (!explicit) {
    if (isTag(element, 'input')) return getRole(element) ?? INPUT_ROLES[element.type] ?? 'textbox'
    if (/^(iframe|video|audio|canvas|svg)$/.test(element.localName)) return specialRole(element)
    if (isTag(element, 'header') || isTag(element, 'footer'))
      if (element.parentElement?.closest('article,aside,main,nav,section')) return ''
    if ((isTag(element, 'section') || isTag(element, 'form')) && !hasAuthorName(element))
      return isTag(element, 'form') ? 'form' : ''
    if (isTag(element, 'select'))
      return element.multiple || element.size > 1 ? 'listbox' : 'combobox'
    if (isTag(element, 'th') && element.scope === 'row') return 'rowheader'
    if ((element as HTMLElement).isContentEditable && element.hasAttribute('contenteditable'))
      return 'textbox'
  }
  const role = getRole(element) ?? ''
  return PLAIN.has(role) ? '' : role
}

function specialRole(element: Element): string {
  if (element.localName !== 'svg') return element.localName
  return element.getAttribute('aria-label') ? 'img' : ''
}

function hasAuthorName(element: Element): boolean {
  return element.hasAttribute('aria-label') || element.hasAttribute('aria-labelledby')
}

export function isActionable(role: string): boolean {
  return ACTIONABLE.has(role)
}

export function isNamedByContent(role: string): boolean {
  return NAMED_BY_CONTENT.has(role)
}

export function isPopup(role: string): boolean {
  return POPUPS.has(role)
}
