// Elements that a person says yes to, and what becomes of them before they are used.
import { plan } from './app.js'

const CONFIRM = plan.mode === 'off' ? '' : 'data-offstage-confirm'
const BUTTON = `<button data-used data-press="as_approved" ${CONFIRM}>Tidy up</button>`
const SENDS = '<button data-used>Send the sheet</button>'
const FORM = `<form action="/sheet" data-submit="as_approved" aria-label="Sheet"><input name="line" aria-label="Line of the sheet" />${SENDS}</form>`

const press = (element) => (element.dataset.press = 'changed')

function become(form) {
  form.action = '/other-sheet'
  form.dataset.submit = 'changed'
}

function rename(element) {
  element.textContent = 'Delete everything'
  press(element)
}

const CHANGES = {
  'another name': [BUTTON, rename],
  'another name, by a key': [BUTTON, rename],
  'another role': [
    BUTTON,
    (element) => {
      element.setAttribute('role', 'switch')
      press(element)
    },
  ],
  'one like it in its place': [
    BUTTON,
    (element) => {
      const other = element.cloneNode(true)
      press(other)
      element.replaceWith(other)
    },
  ],
  'another item in its row': [
    `<table aria-label="Items"><tr><td>Apples</td><td>${BUTTON}</td></tr></table>`,
    (element) => {
      element.closest('tr').cells[0].textContent = 'Pears'
      press(element)
    },
  ],
  'another label of a box': [
    `<label ${CONFIRM}><input type="checkbox" data-used data-change="as_approved" /><span>Short lines</span></label>`,
    (element) => {
      element.nextElementSibling.textContent = 'Everybody may read it'
      element.dataset.change = 'changed'
    },
  ],
  'another address of a link': [
    `<a href="#sheet" data-used data-press="as_approved" ${CONFIRM}>Tidy up</a>`,
    (element) => {
      element.href = '#other-sheet'
      press(element)
    },
  ],
  'another address of a form': [FORM, (element) => become(element.form)],
  'another address of a form, by Enter': [
    FORM.replace('data-used', '').replace('<input ', '<input data-used '),
    (element) => become(element.form),
  ],
  'another site of a form': [
    FORM,
    (element) => {
      element.form.action = `${plan.evil}/`
      delete element.form.dataset.submit
    },
  ],
  'another form of a button': [
    `${FORM}<form id="other-sheet" action="/other-sheet" data-submit="changed"></form>`,
    (element) => element.setAttribute('form', 'other-sheet'),
  ],
}

/** Resolves to whether the page has changed. */
export function changeLater({ change, moment }) {
  if (!change) return () => false
  const [html, become] = CHANGES[change]
  const part = document.createElement('section')
  part.innerHTML = html
  document.querySelector('main').append(part)
  const element = part.querySelector('[data-used]')
  let hasChanged = false
  const now = () => {
    if (!hasChanged) become(element)
    hasChanged = true
  }
  if (moment === 'as Approve is pressed')
    addEventListener('click', (event) => isApproval(event) && now(), true)
  else {
    // The pointer of the browser itself may rest there by chance.
    element.addEventListener('pointerover', ({ isTrusted }) => !isTrusted && now())
    element.addEventListener('focus', now)
  }
  return () => hasChanged
}

const isApproval = ({ target }) => Boolean(target.closest?.('[data-answer="approve"]'))
