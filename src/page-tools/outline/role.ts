import { getRole } from 'dom-accessibility-api'
import { isTag } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { once } from '../../lib/once.ts'

/** Controls that a person can act on. */
const ACTIONABLE = new Set(
  'button,link,textbox,searchbox,combobox,listbox,option,checkbox,radio,switch,slider,spinbutton,tab,menuitem,menuitemcheckbox,menuitemradio,treeitem,gridcell'.split(
    ',',
  ),
)

/** Roles named by their content, which therefore isn't shown a second time. */
const NAMED_BY_CONTENT = new Set(
  'button,link,heading,option,checkbox,radio,switch,tab,menuitem,menuitemcheckbox,menuitemradio,treeitem,tooltip'.split(
    ',',
  ),
)

/** Elements that open above a page, and are most likely relevant. */
const POPUPS = new Set('dialog,alertdialog,menu,listbox,tooltip,alert,status,tree,grid'.split(','))

/** Roles that add nothing to their content. */
const PLAIN_ROLES = new Set(
  'generic,none,presentation,paragraph,strong,emphasis,code,time,mark,deletion,insertion,subscript,superscript,rowgroup,legend,caption,text,blockquote,definition,term,document,associationlist,associationlistitemkey,associationlistitemvalue'.split(
    ',',
  ),
)

/** Elements without a role of their own: half of the elements of a page. */
const WRAPPERS = new Set('div,span,p,b,i,em,strong,small,u,label,br,tbody,thead,tfoot'.split(','))

/** Text-like fields to which the specification gives no role of their own. */
const INPUT_ROLES: Readonly<Record<string, string>> = {
  file: 'button',
  color: 'textbox',
  hidden: '',
}

/** The roles of WAI-ARIA that a snapshot shows; attributes may contain anything. */
const KNOWN_ROLES = new Set(
  'alert,alertdialog,application,article,banner,button,cell,checkbox,columnheader,combobox,complementary,contentinfo,dialog,directory,feed,figure,form,grid,gridcell,group,heading,image,img,link,list,listbox,listitem,log,main,marquee,math,menu,menubar,menuitem,menuitemcheckbox,menuitemradio,meter,navigation,note,option,progressbar,radio,radiogroup,region,row,rowheader,scrollbar,search,searchbox,separator,slider,spinbutton,status,suggestion,switch,tab,table,tablist,tabpanel,textbox,timer,toolbar,tooltip,tree,treegrid,treeitem'.split(
    ',',
  ),
)
/** Roles of the modules for documents and graphics. */
const KNOWN_BY_MODULE = /^(doc|graphics)-[a-z]{1,20}$/

const GRIDS = '[role=grid],[role=treegrid]'

/** The role that a snapshot shows. Empty for wrappers. */
export function getShownRole(element: Element): string {
  const role = native.getAttribute(element, 'role')
    ? null
    : getOwnRole(element, native.localName(element))
  if (role !== null) return role
  // A form's fields hide its attributes from the library.
  const standard = getRole(isTag(element, 'form') ? emptyCopy(element) : element) ?? ''
  if (KNOWN_ROLES.has(standard) || KNOWN_BY_MODULE.test(standard)) return standard
  return PLAIN_ROLES.has(standard) || !native.hasAttribute(element, 'role')
    ? ''
    : roleWithoutAttribute(element)
}

/** The role without the `role` attribute, because an unknown role counts as none. */
function roleWithoutAttribute(element: Element): string {
  const copy = emptyCopy(element)
  native.removeAttribute(copy, 'role')
  return getShownRole(copy)
}

/** Copies an element without its content, into a document that loads and runs nothing. */
function emptyCopy(element: Element): Element {
  return inertDocument().importNode(element, false)
}

const inertDocument = once(() => nativeDocument.implementation(document).createHTMLDocument(''))

/** The role of an element without a `role` attribute, if it differs from the standard. Otherwise null. */
function getOwnRole(element: Element, tag: string): string | null {
  const editable = native.hasAttribute(element, 'contenteditable')
  if (WRAPPERS.has(tag) && !editable) return ''
  if (isTag(element, 'input')) return getRole(element) ?? INPUT_ROLES[element.type] ?? 'textbox'
  if (/^(iframe|video|audio|canvas|svg)$/.test(tag)) return specialRole(element)
  if (tag === 'header' || tag === 'footer') {
    const parent = native.parentElement(element)
    if (parent && native.closest(parent, 'article,aside,main,nav,section')) return ''
  }
  if (tag === 'form') return 'form'
  if (tag === 'section' && !hasAuthorName(element)) return ''
  if (isTag(element, 'select')) return element.multiple || element.size > 1 ? 'listbox' : 'combobox'
  if (isTag(element, 'th') && element.scope === 'row') return 'rowheader'
  if (tag === 'td' && native.closest(element, 'table')?.matches(GRIDS)) return 'gridcell'
  if (editable && native.isContentEditable(element as HTMLElement)) return 'textbox'
  return null
}

function specialRole(element: Element): string {
  if (native.localName(element) !== 'svg') return native.localName(element)
  return native.getAttribute(element, 'aria-label') || isLargeDrawing(element) ? 'img' : ''
}

/** Smallest drawing that isn't an icon. CSS pixels. */
const LARGE = 64

function isLargeDrawing(element: Element): boolean {
  const { width, height } = native.getBoundingClientRect(element)
  return width >= LARGE && height >= LARGE
}

function hasAuthorName(element: Element): boolean {
  return (
    native.hasAttribute(element, 'aria-label') || native.hasAttribute(element, 'aria-labelledby')
  )
}

export function isActionable(role: string): boolean {
  return ACTIONABLE.has(role)
}

/** Whether a person can act on the element, by its role or because it is clickable. */
export function isInteractive({
  role,
  clickable,
}: {
  readonly role: string
  readonly clickable: boolean
}): boolean {
  return clickable || isActionable(role)
}

export function isNamedByContent(role: string): boolean {
  return NAMED_BY_CONTENT.has(role)
}

export function isPopup(role: string): boolean {
  return POPUPS.has(role)
}
