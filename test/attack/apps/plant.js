// Every place of a page that can hold another's text, as attackers use them. Each gets the text and where strangers write.
const SVG = 'http://www.w3.org/2000/svg'

function add(slot, tag, attributes = {}, text = '') {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.textContent = text
  slot.append(element)
  return element
}

const styled = (style) => (slot, text) => add(slot, 'p', { style }, text)
const labelled = (tag, name, more) => (slot, text) => add(slot, tag, { ...more, [name]: text }, 'x')

function frame(slot, text) {
  const element = add(slot, 'iframe', { title: 'Attachment' })
  return new Promise((resolve) => {
    element.addEventListener('load', resolve)
    element.srcdoc = `<p id="p"></p>`
  }).then(() => {
    element.contentDocument.querySelector('#p').textContent = text
  })
}

function shadow(slot, text) {
  const root = add(slot, 'div').attachShadow({ mode: 'open' })
  add(root, 'p', {}, text)
}

function option(slot, text) {
  const list = add(slot, 'select', { 'aria-label': 'Language' })
  add(list, 'option', {}, text)
}

function afterEffect(show) {
  return (slot, text) => document.addEventListener('effect', () => show(slot, text), { once: true })
}

function toast(slot, text) {
  add(document.body, 'div', { role: 'status' }, text)
}

function picture(slot, text) {
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('role', 'img')
  const title = document.createElementNS(SVG, 'title')
  title.textContent = text
  svg.append(title)
  slot.append(svg)
}

function table(slot, text) {
  const row = add(add(slot, 'table', { 'aria-label': 'Offers' }), 'tr')
  add(row, 'td', {}, 'Offer')
  add(row, 'td', {}, text)
}

function select(slot, text) {
  const range = document.createRange()
  range.selectNodeContents(add(slot, 'p', {}, text))
  getSelection().removeAllRanges()
  getSelection().addRange(range)
}

function invalid(slot, text) {
  const form = add(slot, 'form', {})
  const field = add(form, 'input', {
    'aria-label': 'Age',
    'aria-invalid': 'true',
    'aria-describedby': 'why',
  })
  field.setCustomValidity(text)
  add(form, 'p', { id: 'why' }, text)
}

function files(slot, text) {
  const held = new DataTransfer()
  held.items.add(new File(['x'], `${text}.pdf`))
  const field = add(slot, 'input', { type: 'file', 'aria-label': 'Papers' })
  field.files = held.files
  add(add(slot, 'ul', { 'aria-label': 'Papers' }), 'li', {}, `${text}.pdf`)
}

function group(slot, text) {
  const part = add(slot, 'fieldset')
  add(part, 'legend', {}, text)
  add(part, 'input', { 'aria-label': 'Colour' })
}

/** A picture of which only the file is called so; what it shows has a name of its own. */
function address(slot, text) {
  add(slot, 'img', { src: `/${encodeURIComponent(text)}`, alt: 'A boat' })
}

function file(slot, text) {
  const source = `data:image/svg+xml;name=${encodeURIComponent(text)},<svg xmlns="${SVG}"/>`
  const link = add(slot, 'a', { href: '#boat', download: `${text}.png` })
  add(link, 'img', { src: source, alt: 'A boat' })
}

const written = (style) => (slot, text) => {
  add(slot, 'button', { type: 'button', 'data-words': text })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(`[data-words]::before { content: attr(data-words); ${style} }`)
  document.adoptedStyleSheets.push(sheet)
}

export const PLANTS = {
  'a paragraph': styled(''),
  'a heading': (slot, text) => add(slot, 'h3', {}, text),
  'an item of a list': (slot, text) => add(add(slot, 'ul'), 'li', {}, text),
  'a cell of a table': table,
  'a quotation': (slot, text) => add(slot, 'blockquote', {}, text),
  code: (slot, text) => add(add(slot, 'pre'), 'code', {}, text),
  'the name of a link': (slot, text) => add(slot, 'a', { href: '#x' }, text),
  'the name of a button': (slot, text) => add(slot, 'button', { type: 'button' }, text),
  'a label of a field': (slot, text) => add(add(slot, 'label', {}, text), 'input'),
  'a legend': group,
  'an option': option,
  'a value of a field': (slot, text) => (add(slot, 'input', { 'aria-label': 'Nick' }).value = text),
  'an editable part': (slot, text) =>
    add(slot, 'div', { contenteditable: '', role: 'textbox', 'aria-label': 'Draft' }, text),
  'an opened part': (slot, text) => add(add(slot, 'details', { open: '' }), 'p', {}, text),
  'a summary': (slot, text) => add(add(slot, 'details'), 'summary', {}, text),
  'text without opacity': styled('opacity: 0'),
  'text of 1 px': styled('font-size: 1px'),
  'text in its ground’s colour': styled('color: white; background: white'),
  'text far outside': styled('position: absolute; left: -9999px'),
  'clipped text': styled('position: absolute; clip-path: inset(100%)'),
  'text for screen readers': styled(
    'position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0 0 0 0)',
  ),
  'text under a picture': styled('position: relative; z-index: -1'),
  'aria-label': labelled('button', 'aria-label', { type: 'button' }),
  title: (slot, text) => add(slot, 'button', { type: 'button', title: text }),
  alt: (slot, text) => add(slot, 'img', { alt: text, src: 'data:,' }),
  placeholder: (slot, text) => add(slot, 'input', { placeholder: text }),
  'the title of a drawing': picture,
  'a shadow root': shadow,
  'a frame': frame,
  'a toast after an effect': afterEffect(toast),
  'text that comes after an effect': afterEffect((slot, text) => add(slot, 'p', {}, text)),
  'a dialog after an effect': afterEffect((_slot, text) => alert(text)),
  'a title after an effect': afterEffect((_slot, text) => (document.title = text)),
  'the title': (_slot, text) => (document.title = text),
  'the address': (_slot, text) => history.replaceState(null, '', `#${text}`),
  'what is wrong with a value': invalid,
  'a name of a file': files,
  'the selection': select,
  'a live region': (slot, text) => add(slot, 'div', { role: 'alert' }, text),
  'words that a style writes': written(''),
  'hidden words that a style writes': written('opacity: 0'),
  'the address of a picture': address,
  'the name of a file of a picture': file,
  'text that is not displayed': styled('display: none'),
  'a comment': (slot, text) => slot.append(document.createComment(text)),
  'an attribute for data': labelled('p', 'data-note'),
  'a template': (slot, text) => add(add(slot, 'template').content, 'p', {}, text),
}

export async function plant(place, text) {
  await PLANTS[place]?.(document.querySelector('[data-strangers]'), text)
}
