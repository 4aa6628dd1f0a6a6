import $ from 'jquery'
import './jquery-global.mjs'
import 'flatpickr/dist/flatpickr.css'
import 'jquery-ui/themes/base/all.css'
import 'select2/dist/css/select2.css'
import flatpickr from 'flatpickr'
import 'jquery-ui/dist/jquery-ui.js'
import select2 from 'select2'
import Sortable from 'sortablejs'

select2($)
const log = {
  picked: '',
  sorted: [],
  moved: [],
  tab: 0,
  slid: 0,
  date: '',
  day: '',
  country: '',
  tags: [],
  confirmed: false,
}
window.state = () => ({ ...log })

$('#app').html(`
  <label for="country">Country</label><select id="country" style="width: 200px"><option value=""></option><option value="it">Italy</option><option value="es">Spain</option><option value="fr">France</option></select>
  <label for="tags">Tags</label><select id="tags" multiple style="width: 300px"><option>red</option><option>green</option><option>blue</option></select>
  <p><label for="language">Language</label> <input id="language"></p>
  <p><label for="date">Date</label> <input id="date"></p><p><label for="day">Day</label> <input id="day" placeholder="Pick a day"></p>
  <ul id="sortable"><li>One</li><li>Two</li><li>Three</li></ul>
  <ul id="moving"><li>Alpha</li><li>Beta</li><li>Gamma</li></ul>
  <div id="slider" style="width: 200px; margin: 20px"></div>
  <div id="tabs"><ul><li><a href="#t1">First</a></li><li><a href="#t2">Second</a></li></ul><div id="t1">Panel one</div><div id="t2">Panel two</div></div>
  <ul id="menu" style="width: 150px"><li><div>Copy</div></li><li><div>More</div><ul><li><div>Paste special</div></li></ul></li></ul>
  <button id="open">Open dialog</button><div id="dialog" title="Sure?">Really?</div>`)
$('#country')
  .select2()
  .on('change', ({ target }) => (log.country = target.value))
$('#tags')
  .select2()
  .on('change', () => (log.tags = $('#tags').val()))
$('#language').autocomplete({
  source: ['JavaScript', 'Java', 'Python', 'TypeScript'],
  select: (_, { item }) => void (log.picked = item.value),
})
$('#date').datepicker({ defaultDate: '03/09/2026', onSelect: (date) => (log.date = date) })
flatpickr('#day', { defaultDate: '2026-03-09', onChange: (_, text) => (log.day = text) })
const texts = (id) =>
  [...document.querySelectorAll(`#${id} li`)].map(({ textContent }) => textContent)
$('#sortable').sortable({ update: () => (log.sorted = texts('sortable')) })
Sortable.create(document.querySelector('#moving'), {
  animation: 0,
  onEnd: () => (log.moved = texts('moving')),
})
$('#slider').slider({
  max: 50,
  slide: (_, { value }) => void (log.slid = value),
  change: (_, { value }) => void (log.slid = value),
})
$('#tabs').tabs({ activate: (_, { newTab }) => void (log.tab = newTab.index()) })
$('#menu').menu({ select: (_, { item }) => void (log.picked = item.children('div').text()) })
$('#dialog').dialog({
  autoOpen: false,
  modal: true,
  buttons: { Yes: () => ((log.confirmed = true), $('#dialog').dialog('close')) },
})
$('#open').on('click', () => $('#dialog').dialog('open'))
