import '@material/web/all.js'

const log = { picked: '', confirmed: false }
const app = document.querySelector('#app')
app.innerHTML = `
  <md-outlined-text-field label="Name" id="name"></md-outlined-text-field>
  <md-filled-select label="Fruit" id="fruit"><md-select-option value="apple"><div slot="headline">Apple</div></md-select-option><md-select-option value="banana"><div slot="headline">Banana</div></md-select-option></md-filled-select>
  <label>Wifi <md-switch id="wifi" aria-label="Wifi"></md-switch></label>
  <label><md-checkbox id="agree" aria-label="Agree"></md-checkbox> Agree</label>
  <md-radio name="size" value="s" aria-label="Small"></md-radio><md-radio name="size" value="l" aria-label="Large" id="large"></md-radio>
  <md-slider id="volume" min="0" max="100" value="10" aria-label="Volume"></md-slider>
  <md-tabs id="tabs"><md-primary-tab>One</md-primary-tab><md-primary-tab>Two</md-primary-tab></md-tabs>
  <md-chip-set><md-filter-chip label="Cheap" id="cheap"></md-filter-chip></md-chip-set>
  <span style="position: relative"><md-filled-button id="open-menu">Menu</md-filled-button><md-menu id="menu" anchor="open-menu"><md-menu-item id="cut"><div slot="headline">Cut</div></md-menu-item><md-menu-item id="copy"><div slot="headline">Copy</div></md-menu-item></md-menu></span>
  <md-filled-button id="open">Open dialog</md-filled-button>
  <md-dialog id="dialog"><div slot="headline">Sure?</div><div slot="actions"><md-text-button id="yes">Yes, do it</md-text-button></div></md-dialog>`
const get = (id) => document.getElementById(id)
window.state = () => ({
  ...log,
  name: get('name').value,
  fruit: get('fruit').value,
  wifi: get('wifi').selected,
  agree: get('agree').checked,
  large: get('large').checked,
  volume: get('volume').value,
  tab: get('tabs').activeTabIndex,
  cheap: get('cheap').selected,
  open: get('dialog').open,
})
get('open-menu').addEventListener('click', () => (get('menu').open = !get('menu').open))
for (const id of ['cut', 'copy']) get(id).addEventListener('click', () => (log.picked = id))
get('open').addEventListener('click', () => get('dialog').show())
get('yes').addEventListener('click', () => {
  log.confirmed = true
  get('dialog').close()
})
