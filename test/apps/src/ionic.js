import '@ionic/core/css/core.css'
import { initialize } from '@ionic/core/components'
import { defineCustomElement as button } from '@ionic/core/components/ion-button.js'
import { defineCustomElement as checkbox } from '@ionic/core/components/ion-checkbox.js'
import { defineCustomElement as input } from '@ionic/core/components/ion-input.js'
import { defineCustomElement as label } from '@ionic/core/components/ion-label.js'
import { defineCustomElement as modal } from '@ionic/core/components/ion-modal.js'
import { defineCustomElement as range } from '@ionic/core/components/ion-range.js'
import { defineCustomElement as segment } from '@ionic/core/components/ion-segment.js'
import { defineCustomElement as segmentButton } from '@ionic/core/components/ion-segment-button.js'
import { defineCustomElement as select } from '@ionic/core/components/ion-select.js'
import { defineCustomElement as option } from '@ionic/core/components/ion-select-option.js'
import { defineCustomElement as toggle } from '@ionic/core/components/ion-toggle.js'

initialize()
for (const define of [
  button,
  checkbox,
  input,
  label,
  modal,
  range,
  segment,
  segmentButton,
  select,
  option,
  toggle,
])
  define()
const log = { confirmed: false }
document.body.insertAdjacentHTML(
  'beforeend',
  `<ion-app><div style="overflow: auto">
  <ion-input label="Name" id="name"></ion-input>
  <ion-select label="Fruit" id="fruit"><ion-select-option value="apple">Apple</ion-select-option><ion-select-option value="banana">Banana</ion-select-option></ion-select>
  <ion-select label="Colour" id="colour" interface="popover"><ion-select-option value="red">Red</ion-select-option><ion-select-option value="blue">Blue</ion-select-option></ion-select>
  <ion-toggle id="wifi">Wifi</ion-toggle><br><ion-checkbox id="agree">Agree</ion-checkbox>
  <ion-range id="volume" label="Volume" value="10"></ion-range>
  <ion-segment id="view" value="list"><ion-segment-button value="list"><ion-label>List</ion-label></ion-segment-button><ion-segment-button value="board"><ion-label>Board</ion-label></ion-segment-button></ion-segment>
  <ion-button id="open">Open dialog</ion-button>
  <ion-modal id="modal" trigger="open"><ion-button id="yes">Yes, do it</ion-button></ion-modal></div></ion-app>`,
)
const get = (id) => document.getElementById(id)
window.state = () => ({
  ...log,
  name: get('name').value ?? '',
  fruit: get('fruit').value ?? '',
  colour: get('colour').value ?? '',
  wifi: get('wifi').checked,
  agree: get('agree').checked,
  volume: get('volume').value,
  view: get('view').value,
})
document.addEventListener('click', (event) => {
  if (event.target.id !== 'yes') return
  log.confirmed = true
  void get('modal').dismiss()
})
