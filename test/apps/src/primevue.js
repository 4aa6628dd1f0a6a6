import Aura from '@primeuix/themes/aura'
import AutoComplete from 'primevue/autocomplete'
import Button from 'primevue/button'
import Checkbox from 'primevue/checkbox'
import Column from 'primevue/column'
import PrimeVue from 'primevue/config'
import ConfirmDialog from 'primevue/confirmdialog'
import ConfirmationService from 'primevue/confirmationservice'
import DataTable from 'primevue/datatable'
import DatePicker from 'primevue/datepicker'
import Dialog from 'primevue/dialog'
import InputNumber from 'primevue/inputnumber'
import InputText from 'primevue/inputtext'
import Menu from 'primevue/menu'
import MultiSelect from 'primevue/multiselect'
import RadioButton from 'primevue/radiobutton'
import Select from 'primevue/select'
import Slider from 'primevue/slider'
import Tab from 'primevue/tab'
import TabList from 'primevue/tablist'
import TabPanel from 'primevue/tabpanel'
import TabPanels from 'primevue/tabpanels'
import Tabs from 'primevue/tabs'
import Toast from 'primevue/toast'
import ToastService from 'primevue/toastservice'
import ToggleSwitch from 'primevue/toggleswitch'
import Tree from 'primevue/tree'
import { useConfirm } from 'primevue/useconfirm'
import { useToast } from 'primevue/usetoast'
import { createApp, reactive, ref } from 'vue/dist/vue.esm-bundler.js'

const CITIES = ['Bern', 'Lisbon', 'Oslo', 'Porto', 'Rome']
const state = reactive({
  name: '',
  fruit: null,
  many: [],
  city: '',
  day: new Date(2026, 2, 1),
  amount: 1,
  on: false,
  agreed: false,
  size: null,
  volume: 10,
  tab: 'one',
  folder: {},
  sorted: null,
  chosen: [],
  people: ['Linus', 'Ada', 'Grace', 'Alan', 'Barbara'].map((name, at) => ({ name, age: 30 + at })),
  picked: '',
  open: false,
  confirmed: false,
  toasts: 0,
})
window.state = () => ({
  ...JSON.parse(JSON.stringify(state)),
  day: state.day.toDateString(),
  people: state.people.map(({ name }) => name),
  chosen: state.chosen.map(({ name }) => name),
})

function setup() {
  const confirm = useConfirm()
  const toast = useToast()
  const found = ref(CITIES)
  const menu = ref(null)
  const drop = (row) => {
    state.people = state.people.filter((one) => one.name !== row.name)
    toast.add({ severity: 'success', summary: `${row.name} is removed` })
    state.toasts += 1
  }
  return {
    state,
    found,
    menu,
    fruits: ['Apple', 'Banana', 'Cherry'],
    colours: ['Red', 'Green', 'Blue'],
    nodes: [{ key: 'docs', label: 'Documents', children: [{ key: 'letters', label: 'Letters' }] }],
    items: ['Cut', 'Copy'].map((label) => ({ label, command: () => (state.picked = label) })),
    search: ({ query }) =>
      (found.value = CITIES.filter((city) => city.toLowerCase().includes(query.toLowerCase()))),
    remove: (row) =>
      confirm.require({
        header: `Remove ${row.name}?`,
        message: 'It goes for good.',
        acceptProps: { label: 'Remove' },
        rejectProps: { label: 'Keep' },
        accept: () => drop(row),
      }),
  }
}

const template = `
  <label for="name">Name</label><InputText id="name" v-model="state.name" />
  <label id="fruit">Fruit</label><Select v-model="state.fruit" :options="fruits" aria-labelledby="fruit" />
  <label id="colours">Colours</label><MultiSelect v-model="state.many" :options="colours" aria-labelledby="colours" />
  <label for="city">City</label><AutoComplete v-model="state.city" inputId="city" :suggestions="found" @complete="search" />
  <label for="day">Day</label><DatePicker v-model="state.day" inputId="day" showIcon dateFormat="yy-mm-dd" />
  <label for="amount">Amount</label><InputNumber v-model="state.amount" inputId="amount" showButtons />
  <ToggleSwitch v-model="state.on" inputId="wifi" /><label for="wifi">Wifi</label>
  <Checkbox v-model="state.agreed" inputId="agree" binary /><label for="agree">Agree</label>
  <RadioButton v-model="state.size" inputId="small" value="s" /><label for="small">Small</label>
  <RadioButton v-model="state.size" inputId="large" value="l" /><label for="large">Large</label>
  <Slider v-model="state.volume" aria-label="Volume" style="width: 14rem; margin: 1rem" />
  <Tabs v-model:value="state.tab"><TabList><Tab value="one">One</Tab><Tab value="two">Two</Tab></TabList>
    <TabPanels><TabPanel value="one">First</TabPanel><TabPanel value="two">Second</TabPanel></TabPanels></Tabs>
  <Tree :value="nodes" selectionMode="single" v-model:selectionKeys="state.folder" />
  <DataTable :value="state.people" dataKey="name" paginator :rows="3" v-model:selection="state.chosen" @sort="state.sorted = $event.sortField + ' ' + $event.sortOrder">
    <Column selectionMode="multiple" /><Column field="name" header="Person" sortable /><Column field="age" header="Age" sortable />
    <Column header="Actions"><template #body="{ data }"><Button label="Remove" @click="remove(data)" /></template></Column>
  </DataTable>
  <Button label="Menu" aria-haspopup="true" @click="menu.toggle($event)" /><Menu ref="menu" :model="items" popup />
  <Button label="Open dialog" @click="state.open = true" />
  <Dialog v-model:visible="state.open" modal header="Sure?"><Button label="Yes, do it" @click="state.confirmed = true; state.open = false" /></Dialog>
  <ConfirmDialog /><Toast />`

const components = {
  AutoComplete,
  Button,
  Checkbox,
  Column,
  ConfirmDialog,
  DataTable,
  DatePicker,
  Dialog,
  InputNumber,
  InputText,
  Menu,
  MultiSelect,
  RadioButton,
  Select,
  Slider,
  Tab,
  TabList,
  TabPanel,
  TabPanels,
  Tabs,
  Toast,
  ToggleSwitch,
  Tree,
}

createApp({ setup, template, components })
  .use(PrimeVue, { theme: { preset: Aura } })
  .use(ConfirmationService)
  .use(ToastService)
  .mount('#app')
