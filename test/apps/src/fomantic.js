import $ from 'jquery'
import './jquery-global.mjs'
import 'fomantic-ui-css/semantic.css'
import 'fomantic-ui-css/semantic.js'

const log = { fruit: '', tags: [], city: '', day: '', volume: 10, tab: 'one', picked: '' }
Object.assign(log, { confirmed: false, side: false, stars: 0, rows: ['Ada', 'Grace', 'Linus'] })
const choices = (...names) =>
  names.map((name) => `<div class="item" data-value="${name}">${name}</div>`).join('')
document.querySelector('#app').innerHTML = `
  <div class="ui sidebar vertical menu" id="side"><a class="item" id="orders">Orders</a><a class="item" id="close-side">Close side</a></div>
  <div class="pusher">
  <div class="ui menu"><div class="ui dropdown item" id="file">File <i class="dropdown icon"></i><div class="menu"><div class="item" data-value="new">New</div>
    <div class="item"><i class="dropdown icon"></i>Share<div class="menu"><div class="item" data-value="mail">By mail</div><div class="item" data-value="link">By link</div></div></div></div></div></div>
  <form class="ui form" id="form"><div class="field"><label>Name</label><input name="name"></div>
    <div class="field"><label>Fruit</label><div class="ui selection dropdown" id="fruit"><input type="hidden"><i class="dropdown icon"></i><div class="default text">Choose</div><div class="menu">${choices('Apple', 'Banana')}</div></div></div>
    <div class="field"><label>City</label><div class="ui search selection dropdown" id="city"><input type="hidden"><i class="dropdown icon"></i><div class="default text">Choose</div><div class="menu">${choices('Bern', 'Lisbon', 'Oslo', 'Porto')}</div></div></div>
    <div class="field"><label>Tags</label><select multiple class="ui fluid dropdown" id="tags"><option value="">Tags</option><option>Red</option><option>Green</option><option>Blue</option></select></div>
    <div class="field"><label for="day">Day</label><div class="ui calendar" id="calendar"><div class="ui input left icon"><i class="calendar icon"></i><input id="day" placeholder="Day"></div></div></div>
    <div class="field"><div class="ui toggle checkbox"><input type="checkbox" name="wifi"><label>Wifi</label></div></div>
    <div class="field"><div class="ui checkbox"><input type="checkbox" name="agree"><label>Agree</label></div></div>
    <div class="field"><div class="ui radio checkbox"><input type="radio" name="size" value="s"><label>Small</label></div></div><div class="field"><div class="ui radio checkbox"><input type="radio" name="size" value="l"><label>Large</label></div></div>
    <div class="ui slider" id="volume" aria-label="Volume"></div></form>
  <div class="ui rating" id="stars" data-max-rating="5"></div>
  <div class="ui top attached tabular menu" id="tabs"><a class="active item" data-tab="one">One</a><a class="item" data-tab="two">Two</a></div><div class="ui bottom attached active tab segment" data-tab="one">First</div><div class="ui bottom attached tab segment" data-tab="two">Second</div>
  <div class="ui accordion"><div class="title"><i class="dropdown icon"></i>Shipping</div><div class="content"><button class="ui button" id="ship">Ship it</button></div></div>
  <table class="ui celled table"><thead><tr><th>Person</th><th>Actions</th></tr></thead><tbody id="rows"></tbody></table>
  <button class="ui button" id="open-side">Open side</button> <button class="ui button" id="open">Open dialog</button></div>
  <div class="ui modal" id="modal"><div class="header">Sure?</div><div class="actions"><div class="ui cancel button">No</div><div class="ui approve button">Yes, do it</div></div></div>`

function draw() {
  $('#rows').html(
    log.rows.map(
      (row) => `<tr><td>${row}</td><td><button class="ui button">Remove</button></td></tr>`,
    ),
  )
}
draw()
$('#rows').on('click', 'button', ({ target }) => {
  const row = target.closest('tr').cells[0].textContent
  log.rows = log.rows.filter((one) => one !== row)
  draw()
  $.toast({ message: `${row} is removed`, displayTime: 0 })
})
const pick = (value) => (log.picked = value)
$('#file').dropdown({ action: 'hide', on: 'hover', onChange: pick })
$('#fruit').dropdown({ onChange: (value) => (log.fruit = value) })
$('#city').dropdown({ onChange: (value) => (log.city = value) })
$('#tags').dropdown({ onChange: (value) => (log.tags = value) })
$('#calendar').calendar({
  type: 'date',
  initialDate: new Date(2026, 2, 1),
  onChange: (date) => (log.day = date?.toDateString() ?? ''),
})
$('.ui.checkbox').checkbox()
$('#volume').slider({ min: 0, max: 100, start: 10, onChange: (value) => (log.volume = value) })
$('#stars').rating({ onRate: (value) => (log.stars = value) })
$('#tabs .item').tab({ onVisible: (tab) => (log.tab = tab) })
$('.ui.accordion').accordion()
for (const id of ['ship', 'orders']) $(`#${id}`).on('click', () => pick(id))
$('#modal').modal({ onApprove: () => void (log.confirmed = true) })
$('#open').on('click', () => $('#modal').modal('show'))
$('#side').sidebar({
  onVisible: () => void (log.side = true),
  onHidden: () => void (log.side = false),
})
$('#close-side').on('click', () => $('#side').sidebar('hide'))
$('#open-side').on('click', () => $('#side').sidebar('show'))
const form = document.querySelector('#form')
window.state = () => ({
  ...log,
  name: form.elements.name.value,
  wifi: form.elements.wifi.checked,
  agree: form.elements.agree.checked,
  size: form.elements.size.value,
})
