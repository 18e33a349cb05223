# Renders app/views/jobs/STEP.html.erb with Action View (Debian: ruby-actionview), into page.html.
require "active_support"
require "active_support/json"
require "action_view"
require "date"

Job = Struct.new(:title, :description, :company, :salary, :posted_on, :city, keyword_init: true)
job = Job.new(title: "Nurse & carer", description: "<p>Care for \"our\" guests.</p>", company: "Seaside Care",
              salary: 3200, posted_on: Date.new(2026, 11, 20), city: "Kiel")
lookup = ActionView::LookupContext.new(ActionView::FileSystemResolver.new("app/views"))
view = ActionView::Base.with_empty_template_cache.new(lookup, { job: job }, nil)
File.write("page.html", view.render(template: "jobs/#{ARGV[0]}"))
