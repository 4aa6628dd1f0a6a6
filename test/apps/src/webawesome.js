import '@awesome.me/webawesome/dist/styles/themes/default.css'
import '@awesome.me/webawesome/dist/components/button/button.js'
import '@awesome.me/webawesome/dist/components/checkbox/checkbox.js'
import '@awesome.me/webawesome/dist/components/color-picker/color-picker.js'
import '@awesome.me/webawesome/dist/components/details/details.js'
import '@awesome.me/webawesome/dist/components/dialog/dialog.js'
import '@awesome.me/webawesome/dist/components/dropdown/dropdown.js'
import '@awesome.me/webawesome/dist/components/dropdown-item/dropdown-item.js'
import '@awesome.me/webawesome/dist/components/input/input.js'
import '@awesome.me/webawesome/dist/components/number-input/number-input.js'
import '@awesome.me/webawesome/dist/components/option/option.js'
import '@awesome.me/webawesome/dist/components/radio/radio.js'
import '@awesome.me/webawesome/dist/components/radio-group/radio-group.js'
import '@awesome.me/webawesome/dist/components/rating/rating.js'
import '@awesome.me/webawesome/dist/components/select/select.js'
import '@awesome.me/webawesome/dist/components/slider/slider.js'
import '@awesome.me/webawesome/dist/components/switch/switch.js'
import '@awesome.me/webawesome/dist/components/tab/tab.js'
import '@awesome.me/webawesome/dist/components/tab-group/tab-group.js'
import '@awesome.me/webawesome/dist/components/tab-panel/tab-panel.js'
import '@awesome.me/webawesome/dist/components/textarea/textarea.js'
import '@awesome.me/webawesome/dist/components/tree/tree.js'
import '@awesome.me/webawesome/dist/components/tree-item/tree-item.js'

document.querySelector('#app').innerHTML = `
  <wa-input label="Name" id="name"></wa-input><wa-textarea label="Notes" id="notes"></wa-textarea>
  <wa-number-input label="Guests" id="guests" min="1" max="9" value="2"></wa-number-input>
  <wa-select label="Fruit" id="fruit"><wa-option value="apple">Apple</wa-option><wa-option value="banana">Banana</wa-option><wa-option value="cherry">Cherry</wa-option></wa-select>
  <wa-select label="Toppings" id="toppings" multiple><wa-option value="cheese">Cheese</wa-option><wa-option value="olives">Olives</wa-option><wa-option value="ham">Ham</wa-option></wa-select>
  <wa-checkbox id="agree">Agree</wa-checkbox> <wa-switch id="wifi">Wifi</wa-switch>
  <wa-radio-group label="Size" id="size"><wa-radio value="s">Small</wa-radio><wa-radio value="l">Large</wa-radio></wa-radio-group>
  <wa-slider label="Volume" id="volume" min="0" max="10" value="3"></wa-slider>
  <wa-rating label="Rating" id="rating"></wa-rating>
  <wa-color-picker label="Colour" id="colour" value="#000000"></wa-color-picker>
  <wa-tab-group id="tabs"><wa-tab panel="one">One</wa-tab><wa-tab panel="two">Two</wa-tab><wa-tab-panel name="one">Panel one</wa-tab-panel><wa-tab-panel name="two">Panel two</wa-tab-panel></wa-tab-group>
  <wa-details summary="Read more" id="details">All of it</wa-details>
  <wa-tree id="tree"><wa-tree-item>Fruits<wa-tree-item>Pear</wa-tree-item><wa-tree-item>Plum</wa-tree-item></wa-tree-item><wa-tree-item>Nuts</wa-tree-item></wa-tree>
  <wa-dropdown id="menu"><wa-button slot="trigger" with-caret>Menu</wa-button><wa-dropdown-item value="cut">Cut</wa-dropdown-item><wa-dropdown-item value="copy">Copy</wa-dropdown-item></wa-dropdown>
  <wa-button id="open">Open dialog</wa-button><wa-dialog label="Sure?" id="dialog"><wa-button id="yes">Yes, do it</wa-button></wa-dialog>`
const at = (id) => document.getElementById(id)
const log = { picked: '', tab: 'one', confirmed: false, branch: '' }
at('menu').addEventListener('wa-select', ({ detail }) => (log.picked = detail.item.value))
at('tabs').addEventListener('wa-tab-show', ({ detail }) => (log.tab = detail.name))
at('tree').addEventListener(
  'wa-selection-change',
  ({ detail }) => (log.branch = detail.selection[0]?.firstChild.textContent ?? ''),
)
at('open').addEventListener('click', () => (at('dialog').open = true))
at('yes').addEventListener('click', () => {
  log.confirmed = true
  at('dialog').open = false
})
window.state = () => ({
  ...log,
  name: at('name').value,
  notes: at('notes').value,
  guests: Number(at('guests').value),
  fruit: at('fruit').value,
  toppings: at('toppings').value,
  agree: at('agree').checked,
  wifi: at('wifi').checked,
  size: at('size').value,
  volume: at('volume').value,
  rating: at('rating').value,
  colour: at('colour').value,
  details: at('details').open,
  open: at('dialog').open,
})
