import '@shoelace-style/shoelace/dist/themes/light.css'
import '@shoelace-style/shoelace/dist/components/button/button.js'
import '@shoelace-style/shoelace/dist/components/checkbox/checkbox.js'
import '@shoelace-style/shoelace/dist/components/dialog/dialog.js'
import '@shoelace-style/shoelace/dist/components/dropdown/dropdown.js'
import '@shoelace-style/shoelace/dist/components/input/input.js'
import '@shoelace-style/shoelace/dist/components/menu/menu.js'
import '@shoelace-style/shoelace/dist/components/menu-item/menu-item.js'
import '@shoelace-style/shoelace/dist/components/option/option.js'
import '@shoelace-style/shoelace/dist/components/range/range.js'
import '@shoelace-style/shoelace/dist/components/select/select.js'
import '@shoelace-style/shoelace/dist/components/switch/switch.js'
import '@shoelace-style/shoelace/dist/components/tab/tab.js'
import '@shoelace-style/shoelace/dist/components/tab-group/tab-group.js'
import '@shoelace-style/shoelace/dist/components/tab-panel/tab-panel.js'

const app = document.querySelector('#app')
app.innerHTML = `<sl-input label="Name" id="name"></sl-input>
  <sl-select label="Fruit" id="fruit"><sl-option value="apple">Apple</sl-option><sl-option value="banana">Banana</sl-option></sl-select>
  <sl-switch id="wifi">Wifi</sl-switch><sl-checkbox id="agree">Agree</sl-checkbox><sl-range label="Volume" id="volume" min="0" max="10"></sl-range>
  <sl-tab-group id="tabs"><sl-tab slot="nav" panel="one">One</sl-tab><sl-tab slot="nav" panel="two">Two</sl-tab><sl-tab-panel name="one">Panel one</sl-tab-panel><sl-tab-panel name="two">Panel two</sl-tab-panel></sl-tab-group>
  <sl-dropdown><sl-button slot="trigger" caret>Menu</sl-button><sl-menu id="menu"><sl-menu-item value="cut">Cut</sl-menu-item><sl-menu-item value="copy">Copy</sl-menu-item></sl-menu></sl-dropdown>
  <sl-button id="open">Open dialog</sl-button><sl-dialog label="Sure?" id="dialog"><sl-button id="yes">Yes, do it</sl-button></sl-dialog>`
const at = (id) => document.getElementById(id)
const log = { picked: '', tab: '', confirmed: false }
at('menu').addEventListener('sl-select', ({ detail }) => (log.picked = detail.item.value))
at('tabs').addEventListener('sl-tab-show', ({ detail }) => (log.tab = detail.name))
at('open').addEventListener('click', () => at('dialog').show())
at('yes').addEventListener('click', () => {
  log.confirmed = true
  void at('dialog').hide()
})
window.state = () => ({
  ...log,
  name: at('name').value,
  fruit: at('fruit').value,
  wifi: at('wifi').checked,
  agree: at('agree').checked,
  volume: at('volume').value,
  open: at('dialog').open,
})
