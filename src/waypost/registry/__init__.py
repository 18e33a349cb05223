"""Registry of shapes and facts: JSON Schema files, profiles, vocabulary, brands and policies, loaded once.

registry        the files under `schemas/`, with a digest as version
vocabulary      types, properties and enumerations of schema.org
service_types   which of the mappings a schema.org type has
json_schema     validation of documents by a JSON Schema
world           brands, sites, suffixes and policies for decisions
assets          folders of the packaged files
"""

from waypost.registry.registry import Registry, load, shared_registry

__all__ = ["Registry", "load", "shared_registry"]
